// Judges the JSON reports of test runs for CI: `node tools/check-report.mjs <report>…`. Fails when tests were skipped that can run
// here or a report is missing, and prints the totals of all suites, alone on the last line, whatever happened.
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const paths = process.argv.slice(2);
const reports = paths.map(readReport);
const missing = paths.filter((_, i) => reports[i] === undefined);
const files = reports.flatMap((report) => report?.testResults ?? []);
const results = files.flatMap((file) =>
  file.assertionResults.map((test) => ({ ...test, file: relative(ROOT, file.name) })),
);
const count = (status) => results.filter((test) => test.status === status).length;
// A file that fails before its first test has no results of its own, and is still a failure.
const broken = files.filter(
  (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
);

const complaints = [
  ...missing.map((path) => `there is no report ${basename(path)}`),
  ...broken.map((file) => `${relative(ROOT, file.name)} failed as a whole: ${String(file.message).split('\n', 1)[0]}`),
  ...skippedInVain(),
];
for (const complaint of complaints) process.stdout.write(`ci: ${complaint}\n`);
process.stdout.write(
  `${count('passed')} passed, ${count('failed') + broken.length + missing.length} failed\n`,
);
process.exit(complaints.length === 0 && count('failed') === 0 && count('passed') > 0 ? 0 : 1);

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Comparisons with published specifications may be skipped where those are absent; nothing else may. */
function skippedInVain() {
  const skipped = results.filter((test) => test.status !== 'passed' && test.status !== 'failed');
  const hasSpecifications = existsSync(join(ROOT, '../shared'));
  const allowed = hasSpecifications ? [] : skipped.filter((test) => !/redis/i.test(`${test.file} ${test.fullName}`));
  const vain = skipped.filter((test) => !allowed.includes(test) && !isComplement(test));
  if (allowed.length > 0)
    process.stdout.write(
      `ci: ${allowed.length} comparisons with published specifications were skipped: they are not beside this checkout\n`,
    );
  return vain.map((test) => `skipped although it can run here: ${test.file}: ${test.fullName}`);
}

/** Of two tests that say opposite things about the same sample one is always left out. */
function isComplement(test) {
  return /is (?:not )?detected/.test(test.title) && test.file.endsWith('sample-feeds.spec.ts');
}
