import type { RouteAccess, RouteOperation } from '../../../platform/http/access.js';

/** The parts of an OpenAPI operation that are written here. */
export interface DescribedOperation {
  parameters?: { name: string; in: string; [member: string]: unknown }[];
  responses: Record<string, { description?: string; headers?: object; content?: object }>;
  [extension: `x-forecourt-${string}`]: unknown;
}

export interface DescribedRoute {
  readonly method: string;
  readonly operation: RouteOperation | undefined;
  readonly access: RouteAccess | undefined;
  /** Whether a change of it has to name its version. */
  readonly versioned: boolean;
}

const KEY_HEADER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description: 'Made up by the caller for one thing that it wants done. The same request under it takes effect once.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
};
const MATCH_HEADER = {
  name: 'If-Match',
  in: 'header',
  required: true,
  description: 'ETag of what is to be changed, as it was shown.',
  schema: { type: 'string' },
};
const ETAG = { etag: { description: 'The version of what is shown.', schema: { type: 'string' } } };
const FAILED = {
  description: 'Any failure, in the ops envelope',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/FailedAnswer' } } },
};
const ENVELOPE = { 'application/json': { schema: { $ref: '#/components/schemas/Answer' } } };

/** Adds to an operation what follows from its declarations: headers, envelope, failures, who may call it. */
export function describeOperation(described: DescribedOperation, route: DescribedRoute): void {
  described.responses['default'] ??= FAILED;
  const { access, operation } = route;
  if (access?.kind !== 'key' || operation === undefined) return;
  described['x-forecourt-roles'] = access.roles;
  if (operation.change !== undefined) described['x-forecourt-change'] = operation.change;
  const kept = (described.parameters ?? []).filter(
    ({ name }) => !['idempotency-key', 'if-match'].includes(name.toLowerCase()),
  );
  described.parameters = [
    ...kept,
    ...(route.method === 'post' ? [KEY_HEADER] : []),
    ...(operation.change === 'conditional' ? [MATCH_HEADER] : []),
  ];
  for (const [status, response] of Object.entries(described.responses)) {
    if (!status.startsWith('2')) continue;
    response.description ||= 'Done';
    response.content ??= ENVELOPE;
    if (route.versioned) response.headers = ETAG;
  }
}
