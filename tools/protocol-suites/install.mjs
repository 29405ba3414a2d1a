// Installs what the suites need into this folder, once for each lockfile: nothing of it belongs to the product.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FOLDER } from './node22.mjs';

const stamp = join(FOLDER, 'node_modules/.lockfile-digest');
const digest = createHash('sha256')
  .update(readFileSync(join(FOLDER, 'package-lock.json')))
  .digest('hex');
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== digest) {
  process.stdout.write('suites: installing packages …\n');
  // Install scripts are not run: none is needed, and none may fetch programs. Not `ci`: it refuses the lockfile because an
  // optional package for Windows, which a dependency of the Inspector names, is not published.
  const how = ['install', '--no-save', '--ignore-scripts', '--prefer-offline', '--loglevel=error'];
  const { status } = spawnSync('npm', how, { cwd: FOLDER, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(stamp, digest);
}
