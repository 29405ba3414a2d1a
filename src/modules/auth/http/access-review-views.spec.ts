import { expect, it } from 'vitest';
import type { AccessFact } from '../domain/access-fact.js';
import { reviewCsv } from './access-review-views.js';

const named = (holder: string): AccessFact => ({
  ...{ kind: 'key', id: 'abc', version: 1, holder, role: 'admin', restsOn: null, rooftops: null },
  ...{ profiles: [], scopes: ['op:feeds.list', 'op:keys.list'], networks: [], unknown: [] },
  from: 0,
  ends: [{ at: 86_400_000, reason: 'revoked' }],
});

it('writes what a spreadsheet can open without running any of it', () => {
  const holders = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', 'Stone, "Ada"', 'Ada'];
  const [, ...lines] = reviewCsv(holders.map(named)).trimEnd().split('\r\n');
  expect(lines.map((line) => /^key,abc,1,(".*"|[^,]*),admin/.exec(line)?.[1])).toEqual([
    "'=1+1",
    "'+1",
    "'-1",
    "'@SUM(A1)",
    "'\t=1",
    '"Stone, ""Ada"""',
    'Ada',
  ]);
  expect(lines[6]).toBe(
    'key,abc,1,Ada,admin,,,,op:feeds.list op:keys.list,,1970-01-01T00:00:00Z,1970-01-02T00:00:00Z,revoked,',
  );
});
