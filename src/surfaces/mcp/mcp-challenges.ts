import type { FastifyRequest } from 'fastify';
import { Failure } from '../../kernel/failure/failure.js';
import type { DescribeResource, ResourceDescription } from '../../modules/auth/index.js';
import { challengeOf } from './challenge.js';

const METADATA = '/.well-known/oauth-protected-resource';
/** What is said of a resource that is not there, or whose organization cannot be read now. */
const UNDESCRIBED = { scopes: [], dpop: 'none', dpopAlgorithms: [] } as const;
const SCHEME_CHARACTERS = 5;

/** Makes the challenge of a refusal at an MCP endpoint, out of what the metadata of the endpoint says. */
export class McpChallenges {
  constructor(
    private readonly publicUrl: string,
    private readonly describe: DescribeResource,
  ) {}

  /**
   * @param path of the endpoint, as its resource has it
   * @returns undefined for a refusal that is none of the credential.
   */
  async of(request: FastifyRequest, path: string, error: unknown): Promise<string | undefined> {
    if (!(error instanceof Failure) || !error.code.match(/^(?:caller|grant)\./)) return undefined;
    const described: Pick<ResourceDescription, 'scopes' | 'dpop' | 'dpopAlgorithms'> =
      (await this.describe.run(this.publicUrl + path).catch(() => undefined)) ?? UNDESCRIBED;
    const metadataUrl = `${this.publicUrl}${METADATA}${path}`;
    return challengeOf(error, { ...described, metadataUrl }, schemeOf(request));
  }
}

function schemeOf({ headers }: FastifyRequest): 'bearer' | 'dpop' | undefined {
  if (headers.authorization === undefined) return undefined;
  return headers.authorization.slice(0, SCHEME_CHARACTERS).toLowerCase() === 'dpop ' ? 'dpop' : 'bearer';
}
