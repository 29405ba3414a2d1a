import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { categoryOf, scopesCover, scopesWithin } from './key-scopes.js';

describe('the scopes of a key', () => {
  it.each([
    [['op:feeds.create'], 'feeds.create', true],
    [['op:feeds.create'], 'feeds.list', false],
    [['op:feeds.create'], 'feeds.create_all', false],
    [['category:feeds'], 'feeds.list', true],
    [['category:feeds'], 'feed_runs.list', false],
    [['category:inventory'], 'dealeragent.inventory.search', true],
    [['op:dealeragent.inventory.search'], 'dealeragent.inventory.search', true],
    [['op:inventory.search'], 'dealeragent.inventory.search', false],
    [['category:dealeragent'], 'dealeragent.inventory.search', false],
  ])('%j cover %s: %s', (scopes, operation, covered) => {
    expect(scopesCover(scopes, operation)).toBe(covered);
  });

  it('bind nothing where there are none', () => {
    expect(scopesCover([], 'feeds.create')).toBe(true);
    expect(scopesCover(undefined, 'feeds.create')).toBe(true);
  });

  it.each([
    [[], ['op:keys.create'], false], // a key bound to some operations cannot hand out one that is not bound
    [['op:feeds.list'], ['category:feeds'], true],
    [['category:feeds'], ['op:feeds.list'], false],
    [['op:feeds.list', 'op:grants.create'], ['category:feeds'], false],
    [['op:feeds.list'], [], true],
  ])('%j lie within %j: %s', (inner, outer, within) => {
    expect(scopesWithin(inner, outer)).toBe(within);
  });

  it('never cover more with fewer of them', () => {
    const operation = fc.constantFrom('feeds.create', 'feeds.list', 'keys.list', 'dealeragent.inventory.search');
    const scope = operation.chain((o) => fc.constantFrom(`op:${o}`, `category:${categoryOf(o)}`));
    fc.assert(
      fc.property(fc.array(scope, { minLength: 1 }), scope, operation, (scopes, more, asked) => {
        if (scopesCover(scopes, asked)) expect(scopesCover([...scopes, more], asked)).toBe(true);
      }),
    );
  });
});
