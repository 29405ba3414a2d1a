import 'reflect-metadata';
import { runRole } from './process/run-role.js';

/** Entry point of every process: `node dist/main.js api|worker|migrate|all`. */
try {
  await runRole(process.argv[2]);
} catch (error) {
  const causes = error instanceof Error && error.cause instanceof Error ? `\n  because: ${error.cause.message}` : '';
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}${causes}\n`);
  process.exit(1);
}
