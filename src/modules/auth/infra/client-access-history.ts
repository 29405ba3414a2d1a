import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { AccessHistory } from '../app/access-history.js';
import type { AccessFact } from '../domain/access-fact.js';
import { type ClientHistory, factOfIssuer, factsOfClient, type IssuerTrust } from '../domain/client-facts.js';

interface Row {
  readonly agent_client_id: string;
  readonly name: string;
  readonly issuer: string;
  readonly created_at: Date;
  readonly revoked_at: Date | null;
  readonly versions: ClientHistory['versions'];
}

/** Reads the issuers that were trusted, and agent clients with every grant that they carried, which a trigger notes. */
export class ClientAccessHistory implements AccessHistory {
  /** @param embedded the issuer that needs no trust of the organization, where it runs */
  constructor(private readonly embedded: string | undefined) {}

  async facts(tx: TenantTransaction, begunBy: number): Promise<readonly AccessFact[]> {
    const trusts = await trustsOf(tx);
    const clients = await clientsOf(tx, begunBy);
    return [
      ...trusts.filter(({ from }) => from <= begunBy).map(factOfIssuer),
      ...clients.flatMap((client) => {
        const own = trusts.filter(({ issuer }) => issuer === client.issuer);
        // The embedded server under an earlier address was never trusted by a row, either.
        return factsOfClient(client, client.issuer === this.embedded || own.length === 0 ? undefined : own);
      }),
    ];
  }
}

async function trustsOf(tx: TenantTransaction): Promise<readonly IssuerTrust[]> {
  const { organizationId } = tx;
  const rows = await prismaOf(tx).trustedIssuer.findMany({ where: { organizationId } });
  return rows.map((row) => ({
    id: row.trustedIssuerId,
    issuer: row.issuer,
    from: row.createdAt.getTime(),
    revokedAt: row.revokedAt?.getTime() ?? null,
  }));
}

async function clientsOf(tx: TenantTransaction, begunBy: number): Promise<readonly ClientHistory[]> {
  const rows = await prismaOf(tx).$queryRaw<Row[]>`
    SELECT c.agent_client_id, c.name, c.issuer, c.created_at, c.revoked_at,
           (SELECT coalesce(json_agg(json_build_object('version', v.version, 'grantId', v.grant_id,
              'from', floor(extract(epoch FROM v.created_at) * 1000)) ORDER BY v.version), '[]')
            FROM agent_client_versions v
            WHERE v.organization_id = c.organization_id AND v.agent_client_id = c.agent_client_id) AS versions
    FROM agent_clients c
    WHERE c.organization_id = ${tx.organizationId} AND c.created_at <= ${new Date(begunBy)}
    ORDER BY c.agent_client_id`;
  return rows.map((row) => ({
    id: row.agent_client_id,
    name: row.name,
    issuer: row.issuer,
    createdAt: row.created_at.getTime(),
    revokedAt: row.revoked_at?.getTime() ?? null,
    versions: row.versions,
  }));
}
