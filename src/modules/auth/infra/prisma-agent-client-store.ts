import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { AgentClientStore } from '../app/agent-client-store.js';
import type { AgentClient } from '../domain/agent-client.js';

type Row = NonNullable<Awaited<ReturnType<ReturnType<typeof prismaOf>['agentClient']['findFirst']>>>;

export class PrismaAgentClientStore implements AgentClientStore {
  async insert(tx: TenantTransaction, client: AgentClient): Promise<boolean> {
    const { createdAt, ...rest } = client;
    const { count } = await prismaOf(tx).agentClient.createMany({
      data: [{ ...rest, organizationId: tx.organizationId, createdAt: new Date(createdAt), revokedAt: null }],
      skipDuplicates: true, // the only unique thing that can meet is issuer and client id
    });
    return count === 1;
  }

  async find(tx: TenantTransaction, agentClientId: string): Promise<AgentClient | undefined> {
    const { organizationId } = tx;
    const row = await prismaOf(tx).agentClient.findFirst({ where: { organizationId, agentClientId } });
    return row === null ? undefined : toClient(row);
  }

  async findNamed(tx: TenantTransaction, issuer: string, clientId: string): Promise<AgentClient | undefined> {
    const { organizationId } = tx;
    const row = await prismaOf(tx).agentClient.findFirst({
      where: { organizationId, issuer, clientId },
      orderBy: { revokedAt: { sort: 'desc', nulls: 'first' } },
    });
    return row === null ? undefined : toClient(row);
  }

  async list(
    tx: TenantTransaction,
    { after, limit }: { readonly after: string | undefined; readonly limit: number },
  ): Promise<readonly AgentClient[]> {
    const { organizationId } = tx;
    const rows = await prismaOf(tx).agentClient.findMany({
      where: { organizationId, ...(after === undefined ? {} : { agentClientId: { gt: after } }) },
      orderBy: { agentClientId: 'asc' },
      take: limit,
    });
    return rows.map(toClient);
  }

  async inForceSince(tx: TenantTransaction, moment: number): Promise<readonly AgentClient[]> {
    const { organizationId } = tx;
    const rows = await prismaOf(tx).agentClient.findMany({
      where: { organizationId, OR: [{ revokedAt: null }, { revokedAt: { gt: new Date(moment) } }] },
      orderBy: { agentClientId: 'asc' },
    });
    return rows.map(toClient);
  }

  async attachGrant(tx: TenantTransaction, { agentClientId, version }: AgentClient, grantId: string): Promise<boolean> {
    const { organizationId } = tx;
    const { count } = await prismaOf(tx).agentClient.updateMany({
      where: { organizationId, agentClientId, version, revokedAt: null },
      data: { grantId, version: version + 1 },
    });
    return count === 1;
  }

  async revoke(tx: TenantTransaction, agentClientId: string, at: number): Promise<void> {
    const { organizationId } = tx;
    await prismaOf(tx).agentClient.updateMany({
      where: { organizationId, agentClientId, revokedAt: null },
      data: { revokedAt: new Date(at), version: { increment: 1 } },
    });
  }
}

function toClient(row: Row): AgentClient {
  const { agentClientId, version, issuer, clientId, name, grantId } = row;
  return {
    agentClientId,
    version,
    issuer,
    clientId,
    name,
    grantId,
    createdAt: row.createdAt.getTime(),
    revokedAt: row.revokedAt?.getTime() ?? null,
  };
}
