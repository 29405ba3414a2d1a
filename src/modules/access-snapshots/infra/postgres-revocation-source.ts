import type pg from 'pg';
import type { RevocableKind } from '../../../kernel/ports/revocations.js';
import type { Clock } from '../../../kernel/time.js';
import { databaseFailure } from '../../../platform/database/database-failure.js';
import { REVOCATIONS_KEPT_MS } from '../app/known-revocations.js';
import type { Revocation, RevocationSource } from '../app/snapshot-ports.js';

/** Where revocations are announced in the moment that they are committed; the payload is one as JSON. */
export const REVOCATION_CHANNEL = 'forecourt_revocations';
/** Where each change of an organization's access is announced; the payload is its id. */
export const ACCESS_CHANNEL = 'forecourt_access';

interface Row {
  readonly horizon: string;
  readonly organization_id: string | null;
  readonly kind: RevocableKind;
  readonly id: string;
  readonly revoked_at: Date | null;
}

export class PostgresRevocationSource implements RevocationSource {
  constructor(
    private readonly pool: pg.Pool,
    private readonly clock: Clock,
  ) {}

  async since(horizon: string | undefined): Promise<{ horizon: string; revocations: readonly Revocation[] }> {
    try {
      const { rows } = await this.pool.query<Row>({
        name: 'revocations_since',
        text: 'SELECT horizon::text, organization_id, kind, id, revoked_at FROM revocations_since($1, $2)',
        values: [horizon ?? null, new Date(this.clock.now() - REVOCATIONS_KEPT_MS)],
      });
      return { horizon: rows[0]?.horizon ?? '0', revocations: rows.flatMap(toRevocation) };
    } catch (error) {
      throw databaseFailure(error);
    }
  }
}

// Without revocations there is one row with the horizon alone.
function toRevocation({ organization_id: organizationId, kind, id, revoked_at }: Row): Revocation[] {
  return organizationId === null ? [] : [{ organizationId, kind, id, revokedAt: revoked_at?.getTime() ?? null }];
}

/** @returns undefined for what the triggers do not announce. */
export function readAnnouncement(payload: string): Revocation | undefined {
  try {
    return JSON.parse(payload) as Revocation;
  } catch {
    return undefined;
  }
}
