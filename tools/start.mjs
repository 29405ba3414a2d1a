// `npm start`: the whole service on this machine, with a demo group, in one process.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { prepare, ROOT } from './prepare.mjs';

prepare((line) => process.stdout.write(`forecourt: ${line} …\n`));
const env = { FORECOURT_PROFILE: 'local', FORECOURT_DEMO: 'on', LOG_LEVEL: 'warn', ...process.env };
const child = spawn(process.execPath, [join(ROOT, 'dist/main.js'), 'all'], { cwd: ROOT, env, stdio: 'inherit' });
// The terminal sends Ctrl-C to both processes; signals sent to this one alone are handed on.
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill('SIGTERM'));
process.on('SIGINT', () => undefined);
child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1));
