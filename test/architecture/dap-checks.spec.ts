import { describe, expect, it } from 'vitest';
import { OUT_OF_SCOPE } from '../conformance/dap/checks.js';
import { filesBelow } from './repository-files.js';

const UPSTREAM_CHECKS = 49;

describe('The public DAP checks', () => {
  it('each have a test that names their number, or a reason why a gateway has none', () => {
    const tested = filesBelow('test/conformance/dap', /\.spec\.ts$/).flatMap(({ text }) =>
      [...text.matchAll(/'DAP (\d+)[a-z]?: /g)].map(([, number]) => Number(number)),
    );
    const left = OUT_OF_SCOPE.flatMap(({ checks }) => checks);
    const all = Array.from({ length: UPSTREAM_CHECKS }, (_, i) => i + 1);
    expect([...new Set([...tested, ...left])].toSorted((a, b) => a - b)).toEqual(all);
    expect(tested.filter((number) => left.includes(number))).toEqual([]);
  });
});
