import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { Rooftop } from '../../tenancy/index.js';
import type { UnitOverlay } from './unit-overlay.js';

/** Everything a rooftop's segment is built from. Two sources with one key build the same segment. */
export interface RooftopSource {
  readonly rooftop: Rooftop;
  readonly snapshotId: string;
  readonly feedName: string;
  /** Digest of the policy that the snapshot was serialised with; null where it is not known. */
  readonly policyDigest: string | null;
  readonly overlays: ReadonlyMap<string, UnitOverlay>;
  /** By VIN and field: the hash of what sources said when the dealer reviewed it. */
  readonly reviews: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly key: string;
}

interface ServedRow {
  readonly rooftop_id: string;
  readonly snapshot_id: string;
  readonly feed_name: string;
  readonly policy_digest: string | null;
}

interface OverlayRow extends UnitOverlay {
  readonly rooftopId: string;
}

interface ReviewRow {
  readonly rooftopId: string;
  readonly vin: string;
  readonly field: string;
  readonly hash: string;
}

const SERVED = `SELECT i.rooftop_id, i.snapshot_id, f.name AS feed_name, s.policy_digest FROM rooftop_inventory i
  JOIN snapshots s ON s.organization_id = i.organization_id AND s.snapshot_id = i.snapshot_id
  JOIN feeds f ON f.organization_id = i.organization_id AND f.feed_id = i.feed_id ORDER BY i.rooftop_id`;
const OVERLAYS = `SELECT rooftop_id AS "rooftopId", vin, status, (extract(epoch FROM status_time) * 1000)::float8 AS "statusTime",
  price_minor::float8 AS "priceMinor", currency, (extract(epoch FROM price_time) * 1000)::float8 AS "priceTime" FROM unit_overlays ORDER BY rooftop_id, vin`;

// The newest review of a field counts, also one that opens it again.
const REVIEWS = `SELECT * FROM (SELECT DISTINCT ON (rooftop_id, vin, field) rooftop_id AS "rooftopId", vin, field, content_hash AS hash, status
  FROM discrepancy_reviews ORDER BY rooftop_id, vin, field, version DESC) AS newest WHERE status = 'dealer_reviewed'`;

export async function readVersion(client: pg.PoolClient): Promise<number> {
  const { rows } = await client.query<{ version: number }>({
    name: 'inventory-version',
    text: 'SELECT version::float8 AS version FROM inventory_versions',
  });
  return rows[0]?.version ?? 0;
}

/** What each rooftop serves; rooftops that no longer exist are left out. */
export async function readSources(
  client: pg.PoolClient,
  rooftops: readonly Rooftop[],
): Promise<readonly RooftopSource[]> {
  const byId = new Map(rooftops.map((rooftop) => [rooftop.rooftopId, rooftop]));
  const served = await client.query<ServedRow>(SERVED);
  const overlays = await client.query<OverlayRow>(OVERLAYS);
  const reviews = await client.query<ReviewRow>(REVIEWS);
  const [overlaysOf, reviewsOf] = [byRooftop(overlays.rows), byRooftop(reviews.rows)];
  return served.rows.flatMap((row) => {
    const { rooftop_id: id } = row;
    const rooftop = byId.get(id);
    return rooftop === undefined ? [] : [sourceOf(rooftop, row, overlaysOf.get(id) ?? [], reviewsOf.get(id) ?? [])];
  });
}

function byRooftop<T extends { readonly rooftopId: string }>(rows: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const found = new Map<string, T[]>();
  for (const row of rows) {
    const known = found.get(row.rooftopId);
    if (known === undefined) found.set(row.rooftopId, [row]);
    else known.push(row);
  }
  return found;
}

function byVin(reviews: readonly ReviewRow[]): RooftopSource['reviews'] {
  const found = new Map<string, Map<string, string>>();
  for (const { vin, field, hash } of reviews) {
    const known = found.get(vin) ?? new Map<string, string>();
    found.set(vin, known.set(field, hash));
  }
  return found;
}

function sourceOf(
  rooftop: Rooftop,
  row: ServedRow,
  overlays: readonly OverlayRow[],
  reviews: readonly ReviewRow[],
): RooftopSource {
  const settings = JSON.stringify(rooftop.settings);
  const key = createHash('sha256')
    .update(JSON.stringify([row.snapshot_id, row.feed_name, settings, overlays, reviews]))
    .digest('base64');
  return {
    rooftop,
    snapshotId: row.snapshot_id,
    feedName: row.feed_name,
    policyDigest: row.policy_digest,
    overlays: new Map(overlays.map((o) => [o.vin, o])),
    reviews: byVin(reviews),
    key,
  };
}
