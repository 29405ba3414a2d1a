import type { Checkpoint } from '../../domain/log/checkpoint.js';
import type { ClaimedTarget, Statement } from './target-progress.js';

/** A statement with what its note says. */
export interface ReadStatement extends Statement {
  /** End of the day, RFC 3339 in its zone. */
  readonly endsAt: string;
  readonly origin: string;
  readonly checkpoint: Pick<Checkpoint, 'size' | 'root'> | undefined;
}

/** Port: brings a statement to a target. */
export interface StatementCarrier {
  /** Resolves when it has arrived. @returns why it has not: a code. */
  deliver(target: ClaimedTarget, statement: ReadStatement): Promise<string | undefined>;
}
