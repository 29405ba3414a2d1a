import { Type } from '@sinclair/typebox';
import { Failure } from '../../src/kernel/failure/failure.js';
import { JsonBytes } from '../../src/kernel/json-bytes.js';
import { closed } from '../../src/kernel/schema/dap-common.js';
import type { Operation } from '../../src/operations/operation.js';
import { PUBLIC_READ } from '../../src/operations/operation.js';
import { JSON_SCHEMA_2020_12_INPUT } from './json-schema-fixture.js';

const Told = Type.Object({ told: Type.String({ maxLength: 500 }) }, closed);
const NOTHING = Type.Object({}, closed);
const TemplateData = Type.Object(
  { id: Type.String({ maxLength: 20 }), templateTest: Type.Boolean(), data: Type.String({ maxLength: 100 }) },
  closed,
);

/** What every fixture shares: a public read without targets. */
function fixture(row: Pick<Operation, 'name' | 'description' | 'run'> & Partial<Operation>): Operation {
  return {
    title: `Fixture ${row.name}`,
    profile: 'dealeragent.conformance-fixture/0.0',
    scopes: [],
    access: 'public',
    dataClass: 'public_business',
    retentionCategory: 'audit_event',
    rateClass: 'read',
    safety: {
      ...PUBLIC_READ,
      publicAccess: 'allowed',
      idempotency: 'inherent',
      piiOutput: 'none',
      freshnessAuthority: 'test_fixture',
    },
    inputSchema: NOTHING,
    outputSchema: Told,
    targetsOf: () => ({ organizationId: undefined, rooftopIds: [] }),
    ...row,
  };
}

const answer = (body: object): ReturnType<Operation['run']> =>
  Promise.resolve({ body: JsonBytes.of(body), rooftopIds: [], resourceIds: [], preValidated: false });
const tell = (told: string): ReturnType<Operation['run']> => answer({ told });

/**
 * Tools that the MCP conformance suite asks a server for, as rows of the operation table: their validation, errors, limits,
 * audit and wire form are the product's. Answers of the product are JSON documents, so tools that must answer images, sound,
 * progress or questions are not here; tools/protocol-suites/expected-failures.mjs says so for each of them.
 */
export const FIXTURE_OPERATIONS: readonly Operation[] = [
  fixture({
    name: 'test_simple_text',
    description: 'Fixture of the conformance suite: answers a short text.',
    run: () => tell('This is a simple text response for testing.'),
  }),
  fixture({
    name: 'test_error_handling',
    description: 'Fixture of the conformance suite: always fails.',
    run: () => Promise.reject(new Failure('upstream.unavailable')),
  }),
  fixture({
    name: 'test_logging_tool',
    description: 'Fixture of the conformance suite: called without leave to log, which nothing here does.',
    run: () => tell('Nothing was logged to the caller.'),
  }),
  fixture({
    name: 'test_streaming_elicitation',
    description: 'Fixture of the conformance suite: the stream of an answer holds no request of the server.',
    run: () => tell('Nothing is asked of the caller.'),
  }),
  fixture({
    name: 'json_schema_2020_12_tool',
    description: 'Fixture of the conformance suite: an input schema that uses much of JSON Schema 2020-12.',
    inputSchema: JSON_SCHEMA_2020_12_INPUT,
    run: () => tell('The arguments match their schema.'),
  }),
  fixture({
    name: 'test_static_text',
    description: 'Behind a fixture resource, and no tool.',
    offered: () => false,
    run: () => tell('This is the content of the static text resource.'),
  }),
  fixture({
    name: 'test_template_data',
    description: 'Behind a fixture template, and no tool.',
    offered: () => false,
    inputSchema: Type.Object({ id: Type.String({ minLength: 1, maxLength: 20 }) }, closed),
    outputSchema: TemplateData,
    run: ({ input }) => {
      const { id } = input as { readonly id: string };
      return answer({ id, templateTest: true, data: `Data for ID: ${id}` });
    },
  }),
];
