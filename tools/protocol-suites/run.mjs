// `node tools/protocol-suites/run.mjs [--write] [--report <file>]`: the MCP conformance suite and foreign clients against the
// demo service. Not part of `npm test`: CI installs what it needs. A sound run with --write writes docs/conformance.md; every run compares.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { compileTree } from './compile-tree.mjs';
import { runConformance } from './conformance.mjs';
import { startDemoService } from './demo-service.mjs';
import { everythingExpectations, productExpectations, REVISIONS } from './expected-failures.mjs';
import { runForeignClients } from './foreign-clients.mjs';
import { FOLDER } from './node22.mjs';
import { isSubstantive, reportPage } from './report-page.mjs';

const { values } = parseArgs({ options: { write: { type: 'boolean' }, report: { type: 'string' } } });
const ROOT = dirname(dirname(FOLDER));
const PAGE = join(ROOT, 'docs/conformance.md');
const { dependencies: versions } = JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8'));

const results = [];
const say = (line) => process.stdout.write(`suites: ${line}\n`);

const entries = compileTree(ROOT);
const product = await withService('serve.js', async (service) => ({
  runs: await runRevisions(service, 'MCP', productExpectations),
  clients: await runForeignClients(service),
}));
const everything = await withService('serve-everything.js', (service) =>
  runRevisions(service, 'HTTP layer under MCP', everythingExpectations),
);
results.push(...product.clients.filter((client) => client.reason === undefined));
recordPage(reportPage(product.runs, everything, product.clients, versions));
finish();

async function withService(entry, work) {
  const service = await startDemoService(join(entries, entry));
  try {
    return await work(service);
  } finally {
    await service.stop();
  }
}

async function runRevisions(service, subject, expectations) {
  const runs = [];
  for (const revision of REVISIONS) runs.push(await runConformance(service.endpoint, revision, expectations(revision)));
  for (const run of runs) recordConformance(subject, run);
  return runs;
}

function recordConformance(subject, { revision, scenarios, verdict }) {
  const scored = scenarios.filter((s) => s.scored);
  const clean = scored.filter((s) => s.failed === 0);
  say(
    `${subject} ${revision}: ${clean.length} of ${scored.length} scored scenarios pass whole (${clean.filter(isSubstantive).length} with evidence), ${scored.length - clean.length} fail as expected or worse`,
  );
  // What fails as expected is neither a pass nor a failure; a pass that proves nothing is not counted either.
  for (const s of scored) {
    if (s.surprises.length > 0)
      results.push({ name: `${subject} ${revision} ${s.name}`, problem: s.surprises.join('; ') });
    else if (isSubstantive(s)) results.push({ name: `${subject} ${revision} ${s.name}` });
  }
  if (verdict !== undefined)
    results.push({ name: `${subject} ${revision}: the suite agrees with the expectations`, problem: verdict });
}

function recordPage(page) {
  const sound = results.every((result) => result.problem === undefined);
  if (values.write && sound) writeFileSync(PAGE, page);
  const same = existsSync(PAGE) && readFileSync(PAGE, 'utf8') === page;
  const problem = 'run `node tools/protocol-suites/run.mjs --write` and commit the result';
  results.push({ name: 'docs/conformance.md says what the run found', ...(same ? {} : { problem }) });
}

/** The report has the form of the test runner's, so that CI counts both alike. */
function finish() {
  const failed = results.filter((result) => result.problem !== undefined);
  for (const { name, problem } of failed) say(`FAILED ${name}: ${problem}`);
  say(`${results.length - failed.length} passed, ${failed.length} failed`);
  if (values.report !== undefined) writeFileSync(values.report, JSON.stringify(reportOf(failed.length === 0)));
  process.exit(failed.length === 0 ? 0 : 1);
}

function reportOf(ok) {
  const assertionResults = results.map(({ name, problem }) => ({
    title: name,
    fullName: name,
    status: problem === undefined ? 'passed' : 'failed',
  }));
  const name = join(FOLDER, 'run.mjs');
  return { testResults: [{ name, status: ok ? 'passed' : 'failed', message: '', assertionResults }] };
}
