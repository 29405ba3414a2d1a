import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Row } from '../../../../../test/support/arbitrary-search.js';
import {
  anyRequest,
  anyRows,
  anyScope,
  anyVisible,
  NOW,
  SLA_SECONDS,
} from '../../../../../test/support/arbitrary-search.js';
import { assembled, segmentsOf } from '../../../../../test/support/assembled-inventory.js';
import { documentOf, reference, referenceFacet, validUntil } from '../../../../../test/support/naive-search.js';
import { LIMITS } from '../../../../kernel/limits.js';
import type { SearchRequest } from './normalise-query.js';
import { normaliseQuery } from './normalise-query.js';
import { OrganizationInventory } from './organization-inventory.js';
import type { SearchOutcome } from './search-result.js';

/** Hundreds of inventories are built and searched twice. */
const PATIENCE_MS = 60_000;

const json = (bytes: { plain: Buffer } | null): unknown =>
  bytes === null ? null : JSON.parse(bytes.plain.toString('utf8'));
const idsOf = (rows: readonly Row[]): string[] => rows.map((row) => row.vehicleId);

describe('a search', () => {
  it(
    'finds what an obvious implementation finds, in its order, with its facets, freshness and states',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          anyRows,
          fc.array(fc.tuple(anyRequest, anyScope, anyVisible), { minLength: 1, maxLength: 8 }),
          async (rows, searches) => {
            const inventory = await assembled(rows);
            for (const [request, scope, visible] of searches) {
              const expected = reference(rows, request, scope);
              const found = inventory.search(normaliseQuery(request, scope), NOW, visible);
              const page = expected.slice(0, request.page?.limit ?? LIMITS.searchPageDefault.value);
              expect(found.total).toBe(expected.length);
              expect(found.vehicleIds).toEqual(idsOf(page));
              expect(found.rooftopIds).toEqual([...new Set(page.map((row) => row.rooftopId))]);
              expect(found.hasMore).toBe(expected.length > page.length);
              expect(json(found.vehicles)).toEqual(page.map((row) => documentOf(row, rows, visible)));
              expect(json(found.facets)).toEqual({
                make: referenceFacet(expected, (row) => row.make),
                model: referenceFacet(expected, (row) => row.model),
                condition: referenceFacet(expected, (row) => row.condition),
                year: referenceFacet(expected, (row) => row.year),
                vehicle_type: referenceFacet(expected, (row) => row.vehicleType),
                availability: referenceFacet(expected, (row) => row.availability),
                history_report_status: referenceFacet(expected, (row) => row.used?.historyReportStatus ?? null),
                certification_type: referenceFacet(expected, (row) => row.used?.certificationType ?? null),
              });
              expect(found.freshnessBounds).toEqual(
                expected.length === 0
                  ? null
                  : {
                      observedAt: Math.min(...expected.map((row) => row.observedAt)),
                      validUntil: Math.min(...expected.map(validUntil)),
                      maxAgeSeconds: Math.max(...expected.map((row) => SLA_SECONDS[row.rooftopId])),
                    },
              );
            }
          },
        ),
        { numRuns: 300 },
      );
    },
    PATIENCE_MS,
  );
});

function pagesOf(inventoryOf: (page: number) => OrganizationInventory, request: SearchRequest): SearchOutcome[] {
  const pages: SearchOutcome[] = [];
  let after: SearchOutcome['next'] = null;
  do {
    const query = normaliseQuery(request, null, after ?? undefined);
    const outcome = inventoryOf(pages.length).search(query, NOW);
    pages.push(outcome);
    after = outcome.next;
  } while (after !== null && pages.length < 100);
  return pages;
}

describe('paging', () => {
  it(
    'yields the whole result once, in order, with facets on the first page only',
    async () => {
      await fc.assert(
        fc.asyncProperty(anyRows, anyRequest, async (rows, request) => {
          const inventory = await assembled(rows);
          const pages = pagesOf(() => inventory, request);
          expect(pages.flatMap((page) => page.vehicleIds)).toEqual(idsOf(reference(rows, request, null)));
          expect(pages.map((page) => page.facets !== null)).toEqual(pages.map((_, index) => index === 0));
          expect(new Set(pages.map((page) => page.total)).size).toBe(1);
        }),
        { numRuns: 200 },
      );
    },
    PATIENCE_MS,
  );

  it(
    'shows nothing twice and skips nothing that was there throughout while a rooftop is replaced',
    async () => {
      await fc.assert(
        fc.asyncProperty(anyRows, anyRows, anyRequest, fc.nat(4), async (before, after, request, switchAt) => {
          const key = (row: Row): string => `${row.rooftopId} ${row.vehicleId}`;
          const untouched = before.filter((row) => row.rooftopId !== 'roof.b');
          const kept = before.filter((row, index) => row.rooftopId === 'roof.b' && index % 2 === 0);
          const known = new Set([...untouched, ...kept].map(key));
          const added = after.filter(
            (row) => row.rooftopId === 'roof.b' && !before.some((old) => key(old) === key(row)),
          );
          const old = await assembled(before);
          const [a, b, c] = old.segments;
          const [, replaced] = await segmentsOf([...kept, ...added]);
          const next = await OrganizationInventory.assemble('org.example', 2, [a!, replaced!, c!]);
          expect(b).toBeDefined();
          const pages = pagesOf((page) => (page <= switchAt ? old : next), request);
          const seen = pages.flatMap((page) =>
            (json(page.vehicles) as { vehicle_id: string; rooftop_id: string }[]).map(
              (v) => `${v.rooftop_id} ${v.vehicle_id}`,
            ),
          );
          expect(new Set(seen).size).toBe(seen.length);
          // A word may stop being taken for a misspelt one when a unit comes that contains it.
          const still = new Set(reference([...untouched, ...kept, ...added], request, null).map(key));
          const throughout = reference(before, request, null)
            .map(key)
            .filter((id) => known.has(id) && still.has(id));
          const stayed = new Set(throughout);
          expect(seen.filter((id) => stayed.has(id))).toEqual(throughout);
        }),
        { numRuns: 200 },
      );
    },
    PATIENCE_MS,
  );
});
