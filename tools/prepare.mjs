// Brings a checkout to a state that runs: packages, generated client, compiled code. Plain Node, no packages needed; does
// nothing that is already done, so that a second start is quick.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const STAMPS = join(ROOT, 'node_modules', '.forecourt');

/** @param {(line: string) => void} say  @param {{ build?: boolean }} options */
export function prepare(say, { build = true } = {}) {
  requireNode();
  step('packages', ['package-lock.json'], say, 'installing packages', () => {
    // Install scripts are not run: some of them download programs, and none is needed (docs/adr/0012).
    // A clean install empties the folder first; with packages in place what changed is enough.
    const how = existsSync(join(ROOT, 'node_modules')) ? ['install', '--no-save'] : ['ci'];
    run('npm', [...how, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
  });
  step('client', ['prisma/schema.prisma', 'package-lock.json'], say, 'generating the database client', () => {
    run(bin('prisma'), ['generate'], {
      PRISMA_SCHEMA_ENGINE_BINARY: join(ROOT, 'tools/prisma-engine-stub.sh'),
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
      CHECKPOINT_DISABLE: '1',
    });
  });
  if (build) {
    step('build', ['src', 'tsconfig.json', 'package-lock.json', 'prisma/schema.prisma'], say, 'compiling', () => {
      rmSync(join(ROOT, 'dist'), { recursive: true, force: true });
      run(bin('tsc'), ['-p', 'tsconfig.json']);
    });
  }
}

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    fail(`Node.js 20.19 or newer is needed; this is ${process.versions.node}`);
}

/** What a step makes: without it the step is done again. */
const MADE = { client: 'src/platform/database/generated/client.ts', build: 'dist/main.js' };

/** Runs `work` when the inputs changed since it last succeeded. */
function step(name, inputs, say, line, work) {
  const made = MADE[name];
  const stamp = join(STAMPS, name);
  const digest = digestOf(inputs);
  if (
    existsSync(stamp) &&
    readFileSync(stamp, 'utf8') === digest &&
    (made === undefined || existsSync(join(ROOT, made)))
  )
    return;
  say(line);
  rmSync(stamp, { force: true });
  work();
  mkdirSync(STAMPS, { recursive: true });
  writeFileSync(stamp, digest);
}

function digestOf(inputs) {
  const hash = createHash('sha256').update(process.versions.node.split('.')[0]);
  for (const input of inputs)
    for (const file of filesBelow(join(ROOT, input))) hash.update(relative(ROOT, file)).update(readFileSync(file));
  return hash.digest('hex');
}

function filesBelow(path) {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  return readdirSync(path)
    .filter((name) => name !== 'generated' && !name.endsWith('.spec.ts'))
    .sort()
    .flatMap((name) => filesBelow(join(path, name)));
}

const bin = (name) => join(ROOT, 'node_modules/.bin', name);

function run(command, args, env = {}) {
  const result = spawnSync(command, args, {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (result.status !== 0)
    fail(
      `${command} ${args.join(' ')} failed:\n${result.error?.message ?? ''}${result.stdout ?? ''}${result.stderr ?? ''}`,
    );
}

function fail(message) {
  process.stderr.write(`${message.trim()}\n`);
  process.exit(1);
}
