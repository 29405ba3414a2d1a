import { describe, expect, it } from 'vitest';
import { entityTagOf, versionsNamed } from './entity-tag.js';

describe('If-Match', () => {
  it.each([
    ['"3"', [3]],
    ['"3", "14"', [3, 14]],
    [' "3" ', [3]],
    ['W/"3"', [Number.NaN]],
    ['3', [Number.NaN]],
    ['"03"', [Number.NaN]],
    ['"x", "2"', [Number.NaN, 2]],
    ['*', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s names %s', (header, versions) => {
    expect(versionsNamed(header)).toEqual(versions);
  });

  it('reads back what it writes', () => {
    expect(versionsNamed(entityTagOf(7))).toEqual([7]);
  });
});
