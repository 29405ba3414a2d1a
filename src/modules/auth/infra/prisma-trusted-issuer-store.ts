import type { TrustedIssuer } from '../../../kernel/ports/token-verifier.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { TrustedIssuerStore } from '../app/trusted-issuer-store.js';
import type { TrustedIssuerRecord } from '../domain/trusted-issuer-record.js';

type Row = NonNullable<Awaited<ReturnType<ReturnType<typeof prismaOf>['trustedIssuer']['findFirst']>>>;

export class PrismaTrustedIssuerStore implements TrustedIssuerStore {
  async insert(tx: TenantTransaction, { trustedIssuerId, trust, createdAt }: TrustedIssuerRecord): Promise<boolean> {
    const { count } = await prismaOf(tx).trustedIssuer.createMany({
      data: [
        {
          organizationId: tx.organizationId,
          trustedIssuerId,
          issuer: trust.issuer,
          jwksUri: trust.jwksUri ?? null,
          algorithms: [...(trust.algorithms ?? [])],
          introspectionEndpoint: trust.introspection?.endpoint ?? null,
          introspectionClientId: trust.introspection?.clientId ?? null,
          introspectionCredential: trust.introspection?.credential ?? null,
          requiresDpop: trust.requiresDpop ?? false,
          createdAt: new Date(createdAt),
        },
      ],
      skipDuplicates: true, // the only unique thing that can meet is the issuer
    });
    return count === 1;
  }

  async list(
    tx: TenantTransaction,
    { after, limit }: { readonly after: string | undefined; readonly limit: number },
  ): Promise<readonly TrustedIssuerRecord[]> {
    const { organizationId } = tx;
    const rows = await prismaOf(tx).trustedIssuer.findMany({
      where: { organizationId, ...(after === undefined ? {} : { trustedIssuerId: { gt: after } }) },
      orderBy: { trustedIssuerId: 'asc' },
      take: limit,
    });
    return rows.map(toRecord);
  }

  async find(tx: TenantTransaction, trustedIssuerId: string): Promise<TrustedIssuerRecord | undefined> {
    const { organizationId } = tx;
    const row = await prismaOf(tx).trustedIssuer.findFirst({ where: { organizationId, trustedIssuerId } });
    return row === null ? undefined : toRecord(row);
  }

  async inForce(tx: TenantTransaction): Promise<readonly TrustedIssuerRecord[]> {
    const { organizationId } = tx;
    const rows = await prismaOf(tx).trustedIssuer.findMany({
      where: { organizationId, revokedAt: null },
      orderBy: { trustedIssuerId: 'asc' },
    });
    return rows.map(toRecord);
  }

  async revoke(tx: TenantTransaction, trustedIssuerId: string, at: number): Promise<boolean> {
    const { organizationId } = tx;
    const { trustedIssuer } = prismaOf(tx);
    await trustedIssuer.updateMany({
      where: { organizationId, trustedIssuerId, revokedAt: null },
      data: { revokedAt: new Date(at) },
    });
    return (await this.find(tx, trustedIssuerId)) !== undefined;
  }
}

function toRecord(row: Row): TrustedIssuerRecord {
  return {
    trustedIssuerId: row.trustedIssuerId,
    trust: {
      issuer: row.issuer,
      algorithms: row.algorithms,
      requiresDpop: row.requiresDpop,
      ...(row.jwksUri === null ? {} : { jwksUri: row.jwksUri }),
      ...introspectionOf(row),
    },
    createdAt: row.createdAt.getTime(),
    revokedAt: row.revokedAt?.getTime() ?? null,
  };
}

/** The table keeps all three members or none. */
function introspectionOf(row: Row): Pick<TrustedIssuer, 'introspection'> {
  const { introspectionEndpoint: endpoint, introspectionClientId: clientId, introspectionCredential: credential } = row;
  if (endpoint === null || clientId === null || credential === null) return {};
  return { introspection: { endpoint, clientId, credential } };
}
