import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure/failure.js';
import { PLATFORM_TENANT } from '../../kernel/ids.js';
import type { AgentAuthenticator } from '../../kernel/ports/agent-authenticator.js';
import { contextOf, networkOf } from '../../platform/http/request-context.js';
import type { Pipeline } from '../../operations/pipeline.js';

/**
 * Who calls an MCP endpoint: established from the `Authorization` header alone, and a bad credential is never treated as
 * none (DAP security profile §2). Refusals are recorded before they leave.
 */
export class McpCallers {
  constructor(
    private readonly agents: AgentAuthenticator,
    private readonly pipeline: Pipeline,
  ) {}

  /**
   * @param organization whose trail a refusal goes to, where there is one; asked only then
   * @throws Failure `caller.credential_invalid`, `caller.role_forbidden`, `grant.scope_insufficient`, or of the key store.
   */
  async of(request: FastifyRequest, organization: () => Promise<string | undefined>): Promise<Caller> {
    const { authorization } = request.headers;
    const network = networkOf(request);
    if (authorization === undefined) return { kind: 'anonymous', network };
    try {
      return await this.agents.authenticate(authorization, network);
    } catch (error) {
      const failure = Failure.from(error);
      const tenant = (await organization()) ?? PLATFORM_TENANT;
      throw await this.refused(request, { kind: 'anonymous', network }, tenant, failure);
    }
  }

  /**
   * An agent at the endpoint of another organization is refused before it is looked up whether there is one, and the record
   * goes to the organization that granted (DAP-CORE-031).
   * @throws Failure `grant.tenant_forbidden`.
   */
  async refuseOutsideGrant(request: FastifyRequest, caller: Caller, organizationId: string): Promise<void> {
    if (caller.kind !== 'agent' || caller.grant.organizationId === organizationId) return;
    const failure = new Failure('grant.tenant_forbidden', { auditReason: 'organization_outside_grant' });
    throw await this.refused(request, caller, caller.grant.organizationId, failure);
  }

  private refused(request: FastifyRequest, caller: Caller, tenant: string, failure: Failure): Promise<Failure> {
    const call = { ...contextOf(request), caller, endpointOrganizationId: tenant, surface: 'mcp' } as const;
    return this.pipeline.refuse(call, 'mcp.request', failure);
  }
}
