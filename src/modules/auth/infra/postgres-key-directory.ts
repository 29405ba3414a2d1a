import type pg from 'pg';
import type { KeyRole } from '../../../kernel/caller.js';
import { databaseFailure } from '../../../platform/database/database-failure.js';
import type { KeyDirectory, StoredKey } from '../app/key-store.js';

/** As `find_api_key` and `api_keys_of_tenant` give it. */
export interface KeyRow {
  readonly key_id: string;
  readonly organization_id: string;
  readonly name: string;
  readonly role: KeyRole;
  readonly secret_hash: Uint8Array;
  readonly grant_id: string | null;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly retires_at: Date | null;
  readonly scopes: string[];
  readonly networks: string[];
  readonly organization_state: string;
}

/** Finds keys through `find_api_key`, which alone may look across tenants and returns one row. */
export class PostgresKeyDirectory implements KeyDirectory {
  constructor(private readonly pool: pg.Pool) {}

  async find(keyId: string): Promise<StoredKey | undefined> {
    const row = await this.query(keyId);
    return row && toStoredKey(row);
  }

  private async query(keyId: string): Promise<KeyRow | undefined> {
    try {
      const { rows } = await this.pool.query<KeyRow>({
        name: 'find_api_key',
        text: 'SELECT * FROM find_api_key($1)',
        values: [keyId],
      });
      return rows[0];
    } catch (error) {
      throw databaseFailure(error);
    }
  }
}

export function toStoredKey(row: KeyRow): StoredKey {
  return {
    keyId: row.key_id,
    organizationId: row.organization_id,
    name: row.name,
    role: row.role,
    secretHash: row.secret_hash,
    grantId: row.grant_id,
    expiresAt: row.expires_at?.getTime() ?? null,
    revokedAt: row.revoked_at?.getTime() ?? null,
    retiresAt: row.retires_at?.getTime() ?? null,
    scopes: row.scopes,
    networks: row.networks,
    organizationServed: row.organization_state === 'active',
  };
}
