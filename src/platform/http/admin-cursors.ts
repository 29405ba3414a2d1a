import { hash } from 'node:crypto';
import { canonicalJson } from '../../kernel/canonical-json.js';
import { CURSOR_HASH_BYTES } from '../../kernel/cursor/cursor-payload.js';
import type { CursorBinding, CursorSealer } from '../../kernel/cursor/cursor-sealer.js';
import { cursorContextHash } from '../../kernel/cursor/cursor-sealer.js';
import { Failure } from '../../kernel/failure/failure.js';
import type { Clock } from '../../kernel/time.js';
import type { FastifyRequest } from './request-context.js';
import { staffOf } from './staff-request.js';

type Query = Record<string, unknown>;

const PAGING: ReadonlySet<string> = new Set(['cursor', 'after', 'limit']);

/**
 * The cursors of the admin API's lists. Handlers speak of positions (`after`, `next_after`); callers see sealed cursors that
 * hold for the organization, the list and the conditions that they were issued for, and for fifteen minutes.
 */
export class AdminCursors {
  constructor(
    private readonly sealer: CursorSealer,
    private readonly clock: Clock,
  ) {}

  /**
   * Puts the position out of the request's cursor where the handler looks for it.
   * @throws Failure `input.cursor_rejected`; `input.invalid` for a position that the caller sent itself.
   */
  open(request: FastifyRequest): void {
    const query = request.query as Query;
    if ('after' in query || 'before' in query) throw positionSent('after' in query ? 'after' : 'before');
    const { cursor } = query;
    if (typeof cursor !== 'string') return; // an array of them is for the validation to refuse
    const { position } = this.openSealed(cursor, request);
    delete query['cursor'];
    query['after'] = position.vehicleId;
  }

  /** The answer with its position sealed; whatever has none comes back as it is. */
  seal(request: FastifyRequest, data: unknown): unknown {
    if (typeof data !== 'object' || data === null || !('next_after' in data)) return data;
    const { next_after: next, ...rest } = data as { next_after: string | number | null };
    if (next === null) return { ...rest, next_cursor: null };
    const position = { key: null, rooftopId: '', vehicleId: String(next) };
    return { ...rest, next_cursor: this.sealer.seal(bindingOf(request), 0, position, this.clock.now()) };
  }

  private openSealed(cursor: string, request: FastifyRequest): ReturnType<CursorSealer['open']> {
    try {
      return this.sealer.open(cursor, bindingOf(request), this.clock.now());
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const violations = error.context.violations?.map((violation) => ({ ...violation, pointer: '/cursor' }));
      throw violations === undefined ? error : new Failure(error.code, { violations });
    }
  }
}

/** The list and its conditions. The size of a page may change on the way. */
function bindingOf(request: FastifyRequest): CursorBinding {
  const conditions = Object.entries(request.query as Query).filter(([name]) => !PAGING.has(name));
  const path = request.url.split('?', 1)[0];
  const queryHash = hash('sha256', canonicalJson([path, Object.fromEntries(conditions)]), 'buffer').subarray(
    0,
    CURSOR_HASH_BYTES,
  );
  return { queryHash, contextHash: cursorContextHash('staff', staffOf(request).organizationId, []) };
}

function positionSent(name: string): Failure {
  const explanation = 'is not a member of this request';
  return new Failure('input.invalid', {
    violations: [{ pointer: `/${name}`, keyword: 'additionalProperties', explanation }],
  });
}
