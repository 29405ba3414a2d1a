// Clients that others wrote, against the running service: each lists the tools, calls one with success and one with a
// documented error. Returns a list of { name, problem?, reason? }; a reason marks what fails as expected.
import { join } from 'node:path';
import { SEARCH, VEHICLE } from './clients/calls.mjs';
import { runInspector } from './inspector.mjs';
import { FOLDER, runNode22 } from './node22.mjs';

const CLIENTS = ['ai-sdk', 'openai-agents', 'langchain', 'mcp-remote'];
const NOT_FOUND = 'dealeragent.resource.not_found';

/** Shortcomings of a client that we know of. One that is gone fails the run, so that its line goes, too. */
const EXPECTED_PROBLEMS = {
  'inspector (modern) is told resource.not_found':
    'the Inspector holds the structured content of an error against the output schema and shows its own complaint instead',
};

export async function runForeignClients(service) {
  const results = [];
  for (const name of CLIENTS) results.push(...(await runClient(name, service)));
  results.push(...(await runInspector(service)));
  return results.map(judgeByExpectation);
}

function judgeByExpectation({ name, problem }) {
  const reason = EXPECTED_PROBLEMS[name];
  if (reason === undefined) return { name, ...(problem === undefined ? {} : { problem }) };
  return problem === undefined ? { name, problem: 'it was expected to fail and does not' } : { name, reason };
}

async function runClient(name, { endpoint, organizationId }) {
  const { code, stdout, output } = await runNode22(join(FOLDER, 'clients', `${name}.mjs`), [endpoint, organizationId]);
  const seen = code === 0 ? JSON.parse(stdout.trim().split('\n').at(-1)) : undefined;
  const judged = (what, holds) =>
    seen === undefined
      ? { name: `${name} ${what}`, problem: `it ended with ${code}: ${output.slice(-500)}` }
      : { name: `${name} ${what}`, ...(holds(seen) ? {} : { problem: JSON.stringify(seen).slice(0, 500) }) };
  return [
    judged('lists the tools', ({ tools }) => [SEARCH, VEHICLE].every((tool) => tools.includes(tool))),
    judged('calls a tool', ({ success }) => JSON.stringify(success).includes('vehicle_id') && !success.isError),
    judged('is told a documented error', ({ failure }) => JSON.stringify(failure).includes(NOT_FOUND)),
  ];
}
