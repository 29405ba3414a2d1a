import type { Checkpoint } from '../domain/log/checkpoint.js';
import { logOrigin } from './log-names.js';
import type { AuditLogReader } from './audit-log-reader.js';
import type { Verification, VerifyOptions } from './verification.js';
import { Verifying } from './verifying.js';

/**
 * Checks an organization's trail: every record against its canonical bytes, its leaf and its place, every tile, and the root
 * of every signed checkpoint; or a part of that. Memory is flat. What a thief of the signing key rewrote as a whole is found
 * only with a checkpoint that somebody else kept.
 */
export class VerifyAuditLog {
  constructor(
    private readonly reader: AuditLogReader,
    private readonly open: (note: string, origin: string) => Checkpoint | undefined,
    private readonly gatewayId: string,
  ) {}

  /** @throws Failure `resource.not_found` for a record or a period that has no rows, or rows beyond the log. */
  run(organizationId: string, options: VerifyOptions = {}): Promise<Verification> {
    const origin = logOrigin(this.gatewayId, organizationId);
    const open = (note: string): Checkpoint | undefined => this.open(note, origin);
    return new Verifying(this.reader, organizationId, open, options).run();
  }
}
