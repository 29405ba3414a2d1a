// docs/conformance.md, made from a run: what passed, what failed as expected and why, and what a green line does not say.

const total = (scenarios, member) => scenarios.reduce((sum, scenario) => sum + scenario[member], 0);

/** Passed without an expected failure, and with a fixture or capability behind it. */
export const isSubstantive = (scenario) => scenario.failed === 0 && scenario.note === undefined;

export function reportPage(runs, everything, clients, versions) {
  return `${[
    '# Conformance',
    '',
    'Made by `node tools/protocol-suites/run.mjs --write`; do not edit. CI runs the same and fails when a figure changes.',
    'It says what suites and clients that others wrote find of this gateway over a real port. It is evidence, not a certificate.',
    '',
    ...runs.flatMap((run) => section(run, versions)),
    ...everythingSection(everything),
    '## Clients',
    '',
    'Each lists the tools, calls one with success and one that must fail with a documented error; the Inspector calls every tool,',
    'and errors as far as the demo group has them. The official clients of both generations run every tool and are told each of',
    'the sixteen codes of the protocol in `test/e2e/mcp-codes.spec.ts`.',
    '',
    '| client | version | holds |',
    '|---|---|---|',
    ...clients.map(
      ({ name, reason }) =>
        `| ${name} | ${versionOf(name, versions)} | ${reason === undefined ? 'yes' : `no: ${reason}`} |`,
    ),
  ].join('\n')}\n`;
}

const PACKAGES = {
  'ai-sdk': '@ai-sdk/mcp',
  'openai-agents': '@openai/agents',
  langchain: '@langchain/mcp-adapters',
  'mcp-remote': 'mcp-remote',
  inspector: '@modelcontextprotocol/inspector',
};

function versionOf(name, versions) {
  const packageName = PACKAGES[name.split(' ')[0]];
  return `\`${packageName}\` ${versions[packageName]}`;
}

function section({ revision, scenarios }, versions) {
  const scored = scenarios.filter((s) => s.scored);
  const clean = scored.filter((s) => s.failed === 0);
  return [
    `## MCP ${revision}`,
    '',
    `\`@modelcontextprotocol/conformance\` ${versions['@modelcontextprotocol/conformance']}, the frozen set of this revision: ${scored.length} scored scenarios.`,
    `${clean.length} pass whole, ${clean.filter(isSubstantive).length} of them with something behind it; ${scored.length - clean.length} need what this gateway does not offer. Of ${total(scored, 'passed') + total(scored, 'failed')} checks ${total(scored, 'passed')} pass.`,
    'Every scenario opens with a check of the connection itself, which is among those that pass.',
    '',
    '| scenario | passed | failed as expected | reason or remark |',
    '|---|---|---|---|',
    ...scored.map(
      (s) =>
        `| \`${s.name}\` | ${s.passed} | ${s.failed} | ${[...s.reasons, ...(s.note === undefined ? [] : [`no evidence: ${s.note}`])].join(' ')} |`,
    ),
    '',
    ...unscored(scenarios.filter((s) => !s.scored)),
  ];
}

/** What the SDK's server of fixtures comes to: evidence for the HTTP layer alone. */
function everythingSection(runs) {
  return [
    '## The HTTP layer alone',
    '',
    "The same suite against a server of the official SDK with everything it asks for (images, progress, prompts, questions to the client), put in the place of this gateway's own dispatch. Routing, guards, identity, era rules, headers and streams are the product's; the tools are not. It says that the HTTP layer carries the whole protocol, and nothing of what this gateway offers.",
    '',
    '| revision | scored scenarios that pass whole | checks that pass | what fails as expected |',
    '|---|---|---|---|',
    ...runs.map(({ revision, scenarios }) => {
      const scored = scenarios.filter((s) => s.scored);
      const failing = scored.filter((s) => s.failed > 0);
      const checks = total(scored, 'passed');
      return `| ${revision} | ${scored.length - failing.length} of ${scored.length} | ${checks} of ${checks + total(scored, 'failed')} | ${whatFails(failing)} |`;
    }),
    '',
  ];
}

/** Scenarios by the reason that they have in common. */
function whatFails(failing) {
  const reasons = [...new Set(failing.flatMap((s) => s.reasons))];
  const of = (reason) => failing.filter((s) => s.reasons.includes(reason)).map((s) => `\`${s.name}\``);
  return reasons.map((reason) => `${of(reason).join(', ')}: ${reason}`).join(' ') || 'nothing';
}

function unscored(scenarios) {
  if (scenarios.length === 0) return [];
  const clean = scenarios.filter((s) => s.failed === 0 && s.passed > 0);
  return [
    `Not scored, for completeness: ${clean.map((s) => `\`${s.name}\` ${s.passed} of ${s.passed}`).join(', ') || 'nothing passes whole'}; the rest (${scenarios
      .filter((s) => !clean.includes(s))
      .map((s) => `\`${s.name}\``)
      .join(', ')}) concerns extensions or annotations that no tool of ours has.`,
    '',
  ];
}
