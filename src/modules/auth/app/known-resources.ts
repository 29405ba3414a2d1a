import type { ProtectedResource, ProtectedResources } from '../../../kernel/ports/protected-resources.js';
import type { DealerDirectory } from '../../tenancy/index.js';
import { GRANT_SCOPES } from '../domain/grant-vocabulary.js';
import { readResourcePath } from '../domain/resource-path.js';

/**
 * The resources of this service: the endpoints of every organization that exists, those of the default one, and the admin
 * API. Each is its own audience: a token for one opens none of the others (DAP security profile §2).
 */
export class KnownResources implements ProtectedResources {
  constructor(
    private readonly publicUrl: string,
    private readonly directory: DealerDirectory,
  ) {}

  async find(uri: string): Promise<ProtectedResource | undefined> {
    if (!uri.startsWith(this.publicUrl)) return undefined;
    const path = readResourcePath(uri.slice(this.publicUrl.length));
    if (path === undefined) return undefined;
    if (path.kind === 'admin') return { uri, kind: 'admin', organizationId: undefined, scopes: [] };
    const organizationId = await this.existing(path.organizationId);
    return organizationId === undefined ? undefined : { uri, kind: 'mcp', organizationId, scopes: GRANT_SCOPES };
  }

  private async existing(named: string | undefined): Promise<string | undefined> {
    if (named === undefined) return this.directory.defaultOrganizationId();
    return (await this.directory.find(named))?.organizationId;
  }
}
