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

const SERVED = `SELECT i.rooftop_id, i.snapshot_id, f.name AS feed_name, s.policy_digest FROM rooftop_inventory i
  JOIN snapshots s ON s.organization_id = i.organization_id AND s.snapshot_id = i.snapshot_id
  JOIN feeds f ON f.organization_id = i.organization_id AND f.feed_id = i.feed_id ORDER BY i.rooftop_id`;
const OVERLAYS = `SELECT rooftop_id AS "rooftopId", vin, status, (extract(epoch FROM status_time) * 1000)::float8 AS "statusTime",
  price_minor::float8 AS "priceMinor", currency, (extract(epoch FROM price_time) * 1000)::float8 AS "priceTime" FROM unit_overlays ORDER BY rooftop_id, vin`;

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
  const overlaysOf = new Map<string, OverlayRow[]>();
  for (const row of overlays.rows) {
    const known = overlaysOf.get(row.rooftopId);
    if (known === undefined) overlaysOf.set(row.rooftopId, [row]);
    else known.push(row);
  }
  return served.rows.flatMap((row) => {
    const rooftop = byId.get(row.rooftop_id);
    return rooftop === undefined ? [] : [sourceOf(rooftop, row, overlaysOf.get(row.rooftop_id) ?? [])];
  });
}

function sourceOf(rooftop: Rooftop, row: ServedRow, overlays: readonly OverlayRow[]): RooftopSource {
  const settings = JSON.stringify(rooftop.settings);
  const key = createHash('sha256')
    .update(JSON.stringify([row.snapshot_id, row.feed_name, settings, overlays]))
    .digest('base64');
  return {
    rooftop,
    snapshotId: row.snapshot_id,
    feedName: row.feed_name,
    policyDigest: row.policy_digest,
    overlays: new Map(overlays.map((o) => [o.vin, o])),
    key,
  };
}
