import { Failure } from '../kernel/failure/failure.js';
import { CommandError, EXIT } from './exit-codes.js';

/** Turns a failure of the service into a sentence and an exit code. @throws CommandError, or what it was given. */
export function explainFailure(error: unknown): never {
  if (error instanceof Failure) {
    const usage = error.code.startsWith('input.') || error.code.endsWith('not_found');
    throw new CommandError(
      `${error.message}${error.context.violations === undefined ? '' : ` ${JSON.stringify(error.context.violations)}`}`,
      usage ? EXIT.usage : EXIT.failed,
    );
  }
  throw error;
}
