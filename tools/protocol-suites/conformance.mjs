// Runs the MCP conformance suite against a service and judges every check of the scored scenarios.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { FOLDER, runNode22 } from './node22.mjs';

const PACKAGE = join(FOLDER, 'node_modules/@modelcontextprotocol/conformance');

/**
 * @param expectations `{ failures, noEvidence }` of the revision, as in expected-failures.mjs
 * @returns {{ revision, scenarios: { name, scored, passed, failed, expected, reasons, surprises, note }[] }} where
 *   `surprises` are sentences that fail the run: failures that nobody expected and expectations that no longer hold.
 */
export async function runConformance(endpoint, revision, expectations) {
  const work = mkdtempSync(join(tmpdir(), 'forecourt-conformance-'));
  try {
    const baseline = join(work, 'expected.yaml');
    const reasons = reasonsOf(expectations.failures);
    writeFileSync(baseline, stringify({ server: [...reasons.keys()] }));
    const output = join(work, 'out');
    const arguments_ = ['server', '--url', endpoint, '--requirements', revision];
    const run = await runNode22(join(PACKAGE, 'dist/index.js'), [
      ...arguments_,
      '--expected-failures',
      baseline,
      '-o',
      output,
    ]);
    const scenarios = judge(revision, readChecks(output), reasons, expectations.noEvidence);
    return { revision, scenarios, verdict: run.code === 0 ? undefined : run.output.slice(-1500) };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Scenario name → its checks, from the folders `server-<scenario>-<time>`. */
function readChecks(output) {
  // The suite writes nothing for a scenario of an extension that it finds is not offered.
  const written = readdirSync(output).filter((folder) => existsSync(join(output, folder, 'checks.json')));
  return new Map(
    written.map((folder) => [
      folder.replace(/^server-/, '').replace(/-20\d\d-\d\d-\d\dT[\dZ-]+$/, ''),
      JSON.parse(readFileSync(join(output, folder, 'checks.json'), 'utf8')),
    ]),
  );
}

function reasonsOf(failures) {
  return new Map(failures.flatMap(({ reason, entries }) => entries.map((e) => [e, reason])));
}

function scoredOf(revision) {
  return parse(readFileSync(join(PACKAGE, 'requirements', `${revision}.yaml`), 'utf8')).server;
}

function judge(revision, checks, reasons, noEvidence) {
  const scored = scoredOf(revision);
  const names = [...scored, ...[...checks.keys()].filter((name) => !scored.includes(name))];
  return names.map((name) => judgeScenario(name, checks.get(name), reasons, scored, noEvidence[name]));
}

function judgeScenario(name, checks, reasons, scored, note) {
  const isScored = scored.includes(name);
  if (checks === undefined)
    return { name, scored: isScored, passed: 0, failed: 0, skipped: 0, reasons: [], surprises: ['did not run'], note };
  const bad = checks.filter((check) => check.status === 'FAILURE' || check.status === 'WARNING');
  const reasonOf = (check) => reasons.get(`${name}:${check.id}`) ?? reasons.get(name);
  const surprises = !isScored
    ? []
    : [
        ...bad.filter((c) => reasonOf(c) === undefined).map((c) => `${c.id}: ${c.errorMessage ?? c.status}`),
        ...[...reasons.keys()]
          .filter((entry) => entry === name || entry.startsWith(`${name}:`))
          .filter((entry) => !bad.some((c) => entry === name || entry === `${name}:${c.id}`))
          .map((entry) => `${entry} was expected to fail and does not`),
      ];
  return {
    name,
    scored: isScored,
    passed: checks.filter((check) => check.status === 'SUCCESS').length,
    failed: bad.length,
    skipped: checks.filter((check) => check.status === 'SKIPPED').length,
    reasons: [...new Set(bad.map(reasonOf).filter((reason) => reason !== undefined))],
    surprises,
    note,
  };
}
