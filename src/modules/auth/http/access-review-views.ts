import { rfc3339 } from '../../../kernel/time.js';
import type { AccessFact } from '../domain/access-fact.js';
import { endOf } from '../domain/access-fact.js';

/** One entry of the report. `ends_at` and `end_reason` say how it ended since, or how it will. */
export function reviewEntryView(fact: AccessFact): Record<string, unknown> {
  const end = endOf(fact);
  return {
    kind: fact.kind,
    id: fact.id,
    version: fact.version,
    holder: fact.holder,
    role: fact.role,
    rests_on: fact.restsOn,
    rooftops: fact.rooftops,
    profiles: fact.profiles,
    scopes: fact.scopes,
    networks: fact.networks,
    unknown: fact.unknown,
    from: rfc3339(fact.from),
    ends_at: end === undefined ? null : rfc3339(end.at),
    end_reason: end?.reason ?? null,
  };
}

const COLUMNS = [
  'kind',
  'id',
  'version',
  'holder',
  'role',
  'rests_on',
  'rooftops',
  'profiles',
  'scopes',
  'networks',
  'from',
  'ends_at',
  'end_reason',
  'unknown',
] as const;

/** The report as RFC 4180, for spreadsheets. */
export function reviewCsv(entries: readonly AccessFact[]): string {
  const lines = entries.map((fact) => {
    const view = reviewEntryView(fact);
    return COLUMNS.map((column) => cellOf(view[column])).join(',');
  });
  return [COLUMNS.join(','), ...lines].map((line) => `${line}\r\n`).join('');
}

/** What a spreadsheet takes for the beginning of a formula gets an apostrophe before it (OWASP, CSV injection). */
function cellOf(value: unknown): string {
  const text = Array.isArray(value) ? value.join(' ') : textOf(value);
  const safe = /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? `${value}` : '');
