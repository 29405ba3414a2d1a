import type pg from 'pg';
import { PLATFORM_TENANT } from '../../../kernel/ids.js';
import type { DataSubject, SubjectData, SubjectNames, SubjectRecord } from '../../../kernel/ports/subject-data.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { withTenantSql } from '../../../platform/database/tenant-sql.js';
import type { PayloadSeal } from './payload-seal.js';

const PLACE = 'authorization_records';
const AT_ONCE = 500;
const NEXT = `SELECT kind, id_hash, payload, created_at FROM authorization_records WHERE organization_id = $1 AND (kind, id_hash) > ($2, $3)
  ORDER BY kind, id_hash LIMIT ${AT_ONCE}`;
const REMOVE = `DELETE FROM authorization_records WHERE organization_id = $1 AND kind || '/' || encode(id_hash, 'hex') = ANY ($2)`;

interface Row {
  readonly kind: string;
  readonly id_hash: Buffer;
  readonly payload: Buffer;
  readonly created_at: Date;
}

/**
 * What the authorization server remembers: sign-ins, consents and tokens of a person, a registered client and its tokens. Rows
 * are sealed and the platform's own (decision record 0032), so each is opened to see whose it is, and they go in a transaction
 * of their own. They are working data that lives for minutes, at most ninety days; no hold of an organization covers them.
 */
export class AuthorizationSubjectData implements SubjectData {
  readonly places = [PLACE];

  constructor(
    private readonly pool: pg.Pool,
    private readonly seal: PayloadSeal,
  ) {}

  namesBehind(): Promise<SubjectNames> {
    return Promise.resolve({});
  }

  isInUse(): Promise<boolean> {
    return Promise.resolve(false);
  }

  subjects(): Promise<readonly DataSubject[]> {
    return Promise.resolve([]);
  }

  async records(
    _tx: TenantTransaction,
    _place: string,
    { person = [], client = [] }: SubjectNames,
    { after, limit }: { readonly after: string; readonly limit: number },
  ): Promise<readonly SubjectRecord[]> {
    if (person.length + client.length === 0) return [];
    const found: SubjectRecord[] = [];
    for (let place = placeOf(after); found.length < limit;) {
      const rows = await this.next(place);
      found.push(...rows.filter((row) => this.isAbout(row, person, client)).map(recordOf));
      const last = rows.at(-1);
      if (last === undefined || rows.length < AT_ONCE) break;
      place = { kind: last.kind, idHash: last.id_hash };
    }
    return found.slice(0, limit);
  }

  async erase(
    _tx: TenantTransaction,
    _place: string,
    _names: SubjectNames,
    { recordIds }: { readonly recordIds: readonly string[] },
  ): Promise<readonly string[]> {
    await withTenantSql(this.pool, PLATFORM_TENANT, 'read write', (client) =>
      client.query(REMOVE, [PLATFORM_TENANT, recordIds]),
    );
    return recordIds;
  }

  private async next({ kind, idHash }: { readonly kind: string; readonly idHash: Buffer }): Promise<readonly Row[]> {
    return withTenantSql(this.pool, PLATFORM_TENANT, 'consistent read', async (client) => {
      const { rows } = await client.query<Row>(NEXT, [PLATFORM_TENANT, kind, idHash]);
      return rows;
    });
  }

  private isAbout(
    { kind, id_hash: idHash, payload }: Row,
    persons: readonly string[],
    clients: readonly string[],
  ): boolean {
    const opened = this.seal.open(payload, Buffer.concat([Buffer.from(`${kind}\0`), idHash]));
    if (opened === undefined) return false;
    const { accountId, clientId, client_id: registered } = opened;
    return includes(persons, accountId) || includes(clients, clientId) || includes(clients, registered);
  }
}

const includes = (names: readonly string[], value: unknown): boolean =>
  typeof value === 'string' && names.includes(value);

const recordOf = ({ kind, id_hash: idHash, created_at: createdAt }: Row): SubjectRecord => ({
  recordId: `${kind}/${idHash.toString('hex')}`,
  category: 'session',
  rooftops: [],
  clocks: { created: createdAt.getTime() },
  holds: [],
  keeps: null,
  said: { kind, created_at: createdAt.toISOString() },
});

function placeOf(recordId: string): { readonly kind: string; readonly idHash: Buffer } {
  const [kind = '', hash = ''] = recordId.split('/');
  return { kind, idHash: Buffer.from(hash, 'hex') };
}
