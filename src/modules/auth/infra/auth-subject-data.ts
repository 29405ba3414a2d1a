import type { DataSubject, SubjectKind, SubjectNames, SubjectPage } from '../../../kernel/ports/subject-data.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { CataloguedSubjectData } from '../../../platform/database/catalogued-subject-data.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';

/** Keys, agent clients, grants and delegations. Grants go last: keys and clients of an agent are found by them. */
export class AuthSubjectData extends CataloguedSubjectData {
  constructor() {
    super(['api_key_versions', 'api_keys', 'agent_client_versions', 'agent_clients', 'group_delegations', 'grants']);
  }

  /** An agent's keys and clients are the agent; a client is also known by the id that its issuer gave it. */
  override async namesBehind(tx: TenantTransaction, { kind, id }: DataSubject): Promise<SubjectNames> {
    const { organizationId } = tx;
    if (kind === 'client') {
      const clients = await prismaOf(tx).agentClient.findMany({ where: { organizationId, agentClientId: id } });
      return { client: clients.map(({ clientId }) => clientId) };
    }
    if (kind !== 'agent') return {};
    const grants = await prismaOf(tx).grant.findMany({
      where: { organizationId, subject: id },
      distinct: ['grantId'],
      select: { grantId: true },
    });
    const where = { organizationId, grantId: { in: grants.map(({ grantId }) => grantId) } };
    const keys = await prismaOf(tx).apiKey.findMany({ where, select: { keyId: true } });
    const clients = await prismaOf(tx).agentClient.findMany({ where, select: { agentClientId: true } });
    return { key: keys.map(({ keyId }) => keyId), client: clients.map(({ agentClientId }) => agentClientId) };
  }

  /** In use while anything of it would still let it in. */
  override async isInUse(tx: TenantTransaction, { kind, id }: DataSubject): Promise<boolean> {
    const { apiKey, agentClient, grant, groupDelegation } = prismaOf(tx);
    const live = { organizationId: tx.organizationId, revokedAt: null };
    const expiresAt = { gt: new Date() };
    if (kind === 'key')
      return (await apiKey.count({ where: { ...live, keyId: id, OR: [{ expiresAt: null }, { expiresAt }] } })) > 0;
    if (kind === 'client') return (await agentClient.count({ where: { ...live, agentClientId: id } })) > 0;
    if (kind !== 'agent') return false;
    const granted = await grant.count({ where: { ...live, subject: id, expiresAt } });
    return granted + (await groupDelegation.count({ where: { ...live, grantee: id, expiresAt } })) > 0;
  }

  override async subjects(tx: TenantTransaction, { after, limit }: SubjectPage): Promise<readonly DataSubject[]> {
    const rows = await prismaOf(tx).$queryRaw<{ kind: SubjectKind; id: string }[]>`
      SELECT kind, id FROM (
        SELECT 'key' AS kind, key_id AS id FROM api_keys UNION SELECT 'client', agent_client_id FROM agent_clients
        UNION SELECT 'agent', subject FROM grants UNION SELECT 'agent', grantee FROM group_delegations) AS known
      WHERE kind || '/' || id > ${after} ORDER BY kind || '/' || id LIMIT ${limit}`;
    return rows;
  }
}
