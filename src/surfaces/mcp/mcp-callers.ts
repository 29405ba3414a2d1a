import type { FastifyRequest } from 'fastify';
import type { AgentCaller, Caller } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure/failure.js';
import { PLATFORM_TENANT } from '../../kernel/ids.js';
import type { AgentAuthenticator } from '../../kernel/ports/agent-authenticator.js';
import { refuseMisplaced } from '../../platform/http/misplaced-credential.js';
import { addressOf, contextOf, networkOf } from '../../platform/http/request-context.js';
import type { Pipeline } from '../../operations/pipeline.js';

/** The endpoint that was called. */
export interface CalledEndpoint {
  /** Path of its resource (RFC 9728). */
  readonly path: string;
  /** The organization that the path names, or the default one. */
  readonly organizationId: string | undefined;
  /** Whose trail a refusal goes to, where there is one; asked only then. */
  readonly existing: () => Promise<string | undefined>;
}

/**
 * Who calls an MCP endpoint: established from the `Authorization` header alone, and a bad credential is never treated as
 * none (DAP security profile §2). Refusals are recorded before they leave.
 */
export class McpCallers {
  constructor(
    private readonly agents: AgentAuthenticator,
    private readonly pipeline: Pipeline,
    private readonly publicUrl: string,
  ) {}

  /** @throws Failure `caller.credential_invalid`, `caller.role_forbidden`, `grant.scope_insufficient`, or of a store. */
  async of(request: FastifyRequest, endpoint: CalledEndpoint): Promise<Caller> {
    const network = networkOf(request);
    try {
      refuseMisplaced(request);
      const { authorization } = request.headers;
      if (authorization === undefined) return { kind: 'anonymous', network };
      return await this.authenticate(request, authorization, endpoint);
    } catch (error) {
      const failure = Failure.from(error);
      const tenant = (await endpoint.existing()) ?? PLATFORM_TENANT;
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

  private authenticate(
    request: FastifyRequest,
    authorization: string,
    { path, organizationId }: CalledEndpoint,
  ): Promise<AgentCaller> {
    const { dpop } = request.headers;
    return this.agents.authenticate(authorization, networkOf(request), addressOf(request), {
      resource: this.publicUrl + path,
      organizationId,
      method: request.method,
      proof: typeof dpop === 'string' ? dpop : undefined,
    });
  }

  private refused(request: FastifyRequest, caller: Caller, tenant: string, failure: Failure): Promise<Failure> {
    const call = { ...contextOf(request), caller, endpointOrganizationId: tenant, surface: 'mcp' } as const;
    return this.pipeline.refuse(call, 'mcp.request', failure);
  }
}
