// `npm test`: every suite, with everything it needs, on free ports. Arguments after `--` go to Vitest.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { prepare, ROOT } from './prepare.mjs';

prepare((line) => process.stdout.write(`forecourt: ${line} …\n`));
const hasRedis = spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;
process.stdout.write(
  hasRedis
    ? 'forecourt: the Redis half of the queue tests runs\n'
    : 'forecourt: no redis-server on the PATH: the Redis half of the queue tests is skipped\n',
);
const report =
  process.env.TEST_REPORT === undefined
    ? []
    : ['--reporter=default', '--reporter=json', `--outputFile.json=${process.env.TEST_REPORT}`];
const result = spawnSync(
  process.execPath,
  [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', ...report, ...process.argv.slice(2)],
  { cwd: ROOT, stdio: 'inherit' },
);
process.exit(result.status ?? 1);
