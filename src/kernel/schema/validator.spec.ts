import { describe, expect, it } from 'vitest';
import { compileValidator } from './validator.js';

const named = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } };
const ONE_OF_TWO = { ...named, oneOf: [{ required: ['a'] }, { required: ['b'] }] };
const said = (schema: object, payload: unknown): readonly string[] =>
  compileValidator(schema)(payload).map((v) => `${v.pointer} ${v.keyword} ${v.explanation}`);

describe('A choice between members', () => {
  it.each([{}, { a: 'x', b: 'y' }])('of which %j is not one says which they are, once', (payload) => {
    expect(said(ONE_OF_TWO, payload)).toEqual([' oneOf must have exactly one of: a, b']);
  });

  it('is said beside what else is wrong, and below other members', () => {
    expect(
      said({ type: 'object', properties: { 'a/b c': ONE_OF_TWO }, required: ['d'] }, { 'a/b c': { a: 7, b: 'y' } }),
    ).toEqual([
      '/d required is required',
      '/a~1b c oneOf must have exactly one of: a, b',
      '/a~1b c/a type must be string',
    ]);
  });

  it('leaves alternatives of another kind alone', () => {
    const schema = { oneOf: [{ required: ['a'], properties: { a: { const: 1 } } }, { type: 'string' }] };
    expect(said(schema, {})).toEqual([
      '/a required is required',
      ' type must be string',
      ' oneOf must match exactly one of the alternatives',
    ]);
  });
});
