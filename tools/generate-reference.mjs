// Writes docs/reference from the compiled code: `node tools/generate-reference.mjs`. With --check it writes nothing and fails
// with the names of the files that differ. Needs `npm run build`; needs no database and opens no port.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import 'reflect-metadata';
import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, MODULE_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const REFERENCE = join(ROOT, 'docs/reference');

if (!existsSync(join(ROOT, 'dist/api.module.js')))
  fail('docs/reference is made from the compiled code: run `npm run build` first');
const compiled = (path) => import(pathToFileURL(join(ROOT, 'dist', path)));

const [
  { FAILURES, FAILURE_CODES },
  { FAILURE_CAUSES },
  { LIMITS },
  { settingsSchema },
  { loadSettings },
] = await Promise.all([
  compiled('kernel/failure/registry.js'),
  compiled('kernel/failure/failure-causes.js'),
  compiled('kernel/limits.js'),
  compiled('platform/config/settings.js'),
  compiled('platform/config/load-settings.js'),
]);
const [dap, aap, ops] = await Promise.all(
  ['mcp', 'a2a', 'ops'].map((surface) => compiled(`surfaces/${surface}/failure-map.js`)),
);
const [
  { ApiModule },
  { OperationsModule },
  { OperationCatalog },
  { ACCESS_METADATA, OPERATION_METADATA },
  { openApiDocument },
] = await Promise.all([
  compiled('api.module.js'),
  compiled('operations/operations.module.js'),
  compiled('operations/catalog.js'),
  compiled('platform/http/access.js'),
  compiled('surfaces/ops/openapi/openapi-document.js'),
]);

const app = await openPreview();
const pages = {
  'failures.md': failuresPage(),
  'limits.md': limitsPage(),
  'config.md': configPage(),
  'operations.md': operationsPage(readOperations(), readRoutes(app)),
  'openapi.json': openApi(app),
  'requirements.md': requirementsPage(),
};

const drifted = Object.entries(pages).filter(
  ([name, text]) => !existsSync(join(REFERENCE, name)) || readFileSync(join(REFERENCE, name), 'utf8') !== text,
);
if (process.argv.includes('--check')) {
  if (drifted.length > 0)
    fail(
      `these files differ from the code; run \`npm run build && npm run docs\` and commit the result:\n${drifted.map(([name]) => `  docs/reference/${name}`).join('\n')}`,
    );
  process.stdout.write(`docs/reference is up to date (${Object.keys(pages).length} files)\n`);
} else {
  mkdirSync(REFERENCE, { recursive: true });
  for (const [name, text] of drifted) writeFileSync(join(REFERENCE, name), text);
  process.stdout.write(
    drifted.length === 0 ? 'docs/reference is up to date\n' : `wrote ${drifted.map(([name]) => name).join(', ')}\n`,
  );
}
process.exit(0);

// ------------------------------------------------------------------------------------------------ pages

function failuresPage() {
  const hint = (retryable) => (retryable === true ? 'retry' : retryable === 'by cause' ? 'by cause' : 'no retry');
  const rows = FAILURE_CODES.map((code) => {
    const [dapCode, aapCode, opsCode] = [
      dap.DAP_FAILURE_MAP[code],
      aap.AAP_FAILURE_MAP[code],
      ops.OPS_FAILURE_MAP[code],
    ];
    const { jsonRpc, retryable } = aap.AAP_CODES[aapCode];
    const facts = ops.OPS_CODES[opsCode];
    const opsAdvice = facts.retryable === 'by cause' ? FAILURES[code].opsRetryable === true : facts.retryable;
    const cause = FAILURE_CAUSES[code];
    return [
      `\`${code}\``,
      FAILURES[code].message,
      `\`${dapCode}\`, ${hint(dap.DAP_CODES[dapCode])}`,
      `\`${aapCode}\` ${jsonRpc}, ${hint(retryable)}`,
      `\`${opsCode}\` ${facts.status}, ${hint(opsAdvice)}`,
      'raised' in cause ? cause.raised : `Not raised yet. Waits for ${cause.waiting}.`,
    ];
  });
  return page(
    'Failures',
    'Every failure of the product and its wording on each surface. The message is the same everywhere and holds nothing of the request. Every answer that may be retried carries `retry_after_ms`, and over HTTP `Retry-After`.',
    [table(['code', 'message', 'DAP (MCP tools)', 'AAP (A2A)', 'ops envelope', 'raised by'], rows)],
  );
}

function limitsPage() {
  const rows = Object.entries(LIMITS).map(([name, { value, unit, why }]) => [
    `\`${name}\``,
    value.toLocaleString('en-US'),
    unit,
    why,
  ]);
  return page('Limits', 'Fixed numbers of the product. What an operator may change is in [config.md](config.md).', [
    table(['name', 'value', 'unit', 'why'], rows),
  ]);
}

function configPage() {
  const rows = Object.entries(settingsSchema.shape).map(([name, schema]) => [
    `\`${name}\``,
    defaultOf(schema),
    boundsOf(schema),
    schema.description ?? '',
  ]);
  return page(
    'Settings',
    'Environment variables. All problems are reported at once when a process starts. An empty variable counts as absent; a variable that starts with `FORECOURT_` and is not listed here is refused.',
    [table(['name', 'default', 'values', 'meaning'], rows)],
  );
}

function operationsPage(operations, routes) {
  const tools = operations.map((o) => [
    `\`${o.name}\``,
    `\`${o.profile}\``,
    o.access,
    o.dataClass,
    o.safety.effect,
    o.safety.publicAccess,
    o.safety.idempotency,
    `${o.safety.piiInput} / ${o.safety.piiOutput}`,
    o.safety.retention,
    o.safety.freshnessAuthority,
    o.safety.audit,
    o.retentionCategory,
    o.rateClass,
  ]);
  const http = routes.map((r) => [
    `\`${r.route}\``,
    r.operation === undefined ? 'named in each call' : `\`${r.operation.name}\``,
    accessText(r.access),
    r.operation?.audit ?? 'each call',
    r.operation?.retention ?? 'audit_event',
  ]);
  return page(
    'Operations',
    'The operation table, from which tools, manifest and documents are made, and the HTTP routes.',
    [
      '## Tools\n\nEvery tool is read-only, not destructive, idempotent, works in a closed world, needs no confirmation and commits nobody to anything.',
      table(
        [
          'name',
          'profile',
          'access',
          'data class',
          'effect',
          'public access',
          'idempotency',
          'personal data in / out',
          'retention',
          'freshness authority',
          'audit',
          'record category',
          'rate class',
        ],
        tools,
      ),
      '## Routes',
      table(['route', 'operation', 'access', 'audit', 'retention'], http),
    ],
  );
}

function requirementsPage() {
  const requirements = JSON.parse(readFileSync(join(ROOT, 'test/conformance/requirements.json'), 'utf8'));
  const proof = ({ tests = [], scope, why }) =>
    [
      ...(scope === undefined ? [] : [`*${scope}*: ${why}`]),
      ...tests.map(({ file, name }) => `${name} (\`${file}\`)`),
    ].join('<br>');
  const counted = (scope) => requirements.filter((r) => r.scope === scope).length;
  const summary = [
    `${counted(undefined)} of ${requirements.length} are held by tests`,
    ...['open', 'client-side', 'publisher-side', 'profile not offered'].map((scope) => `${counted(scope)} ${scope}`),
  ].join(', ');
  return page(
    'Requirements of DAP 0.1',
    `Every requirement that the Dealer Agent Protocol tags with an id, and what holds it here: ${summary}. What a requirement says is put in our words; the published text wins. A named test is an example of the proof, not all of it.`,
    [
      table(
        ['id', 'in short', 'held by'],
        requirements.map((r) => [r.id, r.says, proof(r)]),
      ),
    ],
  );
}

function openApi(preview) {
  return `${JSON.stringify(sorted(openApiDocument(preview)), null, 2)}\n`;
}

// ------------------------------------------------------------------------------------------------ reading the code

/** The module graph of the API without a single instance: preview mode makes no provider. */
async function openPreview() {
  const settings = loadSettings({ FORECOURT_PROFILE: 'local', DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
  return NestFactory.create(ApiModule.forRoot(settings), new FastifyAdapter(), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
}

/** The table is made from parts that no declaration depends on, so anything may stand in for them. */
function readOperations() {
  const inert = new Proxy(() => inert, { get: (_, name) => (name === Symbol.toPrimitive ? () => 'inert' : inert) });
  const provider = Reflect.getMetadata(MODULE_METADATA.PROVIDERS, OperationsModule).find(
    (p) => p.provide === OperationCatalog,
  );
  return provider.useFactory(...provider.inject.map(() => inert)).all;
}

function readRoutes(preview) {
  const modules = [...preview.get(ModulesContainer).values()];
  const controllers = new Set(modules.flatMap((module) => [...module.controllers.values()].map((c) => c.metatype)));
  return [...controllers].flatMap(routesOf).sort((a, b) => (a.route < b.route ? -1 : 1));
}

function routesOf(controller) {
  return Object.getOwnPropertyNames(controller.prototype).flatMap((name) => {
    const handler = controller.prototype[name];
    if (name === 'constructor' || !Reflect.hasMetadata(METHOD_METADATA, handler)) return [];
    const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler)];
    const access = Reflect.getMetadata(ACCESS_METADATA, handler) ?? Reflect.getMetadata(ACCESS_METADATA, controller);
    const operation = Reflect.getMetadata(OPERATION_METADATA, handler);
    const paths = (target) => [Reflect.getMetadata(PATH_METADATA, target) ?? ''].flat();
    return paths(controller).flatMap((prefix) =>
      paths(handler).map((path) => ({
        route: `${method} /${[prefix, path]
          .flatMap((p) => p.split('/'))
          .filter((p) => p !== '')
          .join('/')}`,
        access,
        operation,
      })),
    );
  });
}

function accessText(access) {
  if (access === undefined) return 'none declared: refused';
  if (access.kind === 'key') return `key: ${access.roles.join(', ')}`;
  return access.kind === 'surface' ? `decided for each call (${access.surface})` : `public: ${access.why}`;
}

function defaultOf(schema) {
  if (schema.type === 'optional') return 'none';
  if (schema.type !== 'default' && schema.type !== 'pipe') return 'required';
  const value = schema.parse(undefined);
  if (Array.isArray(value)) return 'empty';
  if (typeof value === 'boolean') return `\`${value ? 'on' : 'off'}\``;
  return `\`${value}\``;
}

/** What a value may be, read from the schema: words, a range, a form. */
function boundsOf(schema) {
  const { def } = schema;
  if (def.type === 'optional' || def.type === 'default') return boundsOf(def.innerType);
  if (def.type === 'pipe') return Array.isArray(tryParse(schema)) ? 'comma-separated list' : boundsOf(def.in);
  if (def.type === 'enum')
    return Object.values(def.entries)
      .map((word) => `\`${word}\``)
      .join(', ');
  if (def.type === 'number')
    return `${schema.minValue.toLocaleString('en-US')} to ${schema.maxValue.toLocaleString('en-US')}`;
  const form = (def.checks ?? []).flatMap((check) => checkText(check._zod.def));
  return form.length === 0 ? 'text' : form.join(', ');
}

function checkText(def) {
  if (def.check === 'min_length' && def.minimum > 1) return [`at least ${def.minimum} characters`];
  if (def.check === 'max_length') return [`at most ${def.maximum} characters`];
  if (def.check === 'string_format' && def.pattern !== undefined) return [`\`${def.pattern.source}\``];
  if (def.check === 'custom' && typeof def.error === 'function')
    return [String(def.error({ input: '' })).replace(/^must be /, '')];
  return [];
}

function tryParse(schema) {
  const result = schema.safeParse(undefined);
  return result.success ? result.data : undefined;
}

// ------------------------------------------------------------------------------------------------ writing

function page(title, introduction, parts) {
  return `<!-- Made by tools/generate-reference.mjs. Do not edit: change the code and run \`npm run docs\`. -->\n\n# ${title}\n\n${introduction}\n\n${parts.join('\n\n')}\n`;
}

function table(header, rows) {
  const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll('\n', ' ');
  return [header, header.map(() => '---'), ...rows.map((row) => row.map(cell))]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}

/** Members in one order, so that the document does not depend on the order of modules. */
function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
