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
  async run(organizationId: string, options: VerifyOptions = {}): Promise<Verification> {
    const origin = logOrigin(this.gatewayId, organizationId);
    const open = (note: string): Checkpoint | undefined => this.open(note, origin);
    let stands = await this.standOf(organizationId);
    for (;;) {
      const verification = await new Verifying(this.reader, organizationId, open, options).run();
      const before = stands;
      stands = await this.standOf(organizationId);
      // What a run took away in the meantime looks as if it were missing.
      if (verification.result !== 'tampered' || stands === before) return verification;
    }
  }

  /** Changes with every pruning, and with everything that goes into the vault or out of it. */
  private async standOf(organizationId: string): Promise<string> {
    const pruning = await this.reader.pruning(organizationId);
    return [pruning?.minIndex, (await this.reader.vaultStated(organizationId))?.afterHash].join(' ');
  }
}
