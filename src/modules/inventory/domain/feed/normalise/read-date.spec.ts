import { describe, expect, it } from 'vitest';
import { DateReader } from './read-date.js';

const chicago = new DateReader('America/Chicago');

describe('reading dates of exports', () => {
  it.each([
    ['9/16/2026', '2026-09-16T00:00:00-05:00', 'day'],
    ['12/01/26', '2026-12-01T00:00:00-06:00', 'day'],
    ['2026-09-16', '2026-09-16T00:00:00-05:00', 'day'],
    ['9/16/2026 1:59:46 PM', '2026-09-16T13:59:46-05:00', 'second'],
    ['9/16/2026 12:05 AM', '2026-09-16T00:05:00-05:00', 'second'],
    ['2026-08-14T09:30:00', '2026-08-14T09:30:00-05:00', 'second'],
    ['2026-08-14 09:30:00', '2026-08-14T09:30:00-05:00', 'second'],
  ])('%s is local to the zone of the feed', (text, at, precision) => {
    expect(chicago.read(text)).toEqual({ at, precision, offset: false });
    expect(chicago.read(text)).toEqual({ at, precision, offset: false });
  });

  it('keeps a time that has an offset', () => {
    expect(chicago.read('2026-08-14T09:30:00z')).toEqual({
      at: '2026-08-14T09:30:00Z',
      precision: 'second',
      offset: true,
    });
  });

  it.each([
    '13/45/2026',
    '2/29/2026',
    '2026-02-30',
    '2026-9-1',
    '16.9.2026',
    '9/16/2026 25:00',
    '9/16/2026 13:00 PM',
    'yesterday',
  ])('%s is no date', (text) => {
    expect(chicago.read(text)).toBeUndefined();
  });
});
