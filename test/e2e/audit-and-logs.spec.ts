import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_ORGANIZATION } from '../../src/demo/demo-group.js';
import { AuditTrail } from '../support/audit-trail.js';
import { ChildService, freePort } from '../support/child-service.js';
import type { CompiledService } from '../support/compiled-service.js';
import { compileService } from '../support/compiled-service.js';
import type { TestDatabase } from '../support/database.js';
import { createTestDatabase } from '../support/database.js';
import type { WireAnswer } from '../support/mcp-http.js';
import { callTool, legacy, modernHeaders, modernMeta, post, postModern, send } from '../support/mcp-http.js';
import { freshKey } from '../support/admin-client.js';
import { exchange, rawRequest } from '../support/raw-http.js';

const SEARCH = 'dealeragent.inventory.search';
const VEHICLE = 'dealeragent.inventory.get_vehicle';
const DEALER = 'dealeragent.dealer.get';
const MANIFEST = 'dealeragent.discovery.get_manifest';
const SECRETS = ['jane.doe@mail.example', '305-555-0199', '123-45-6789', 'tok-9f8e7d6c5b4a'];
const ALL = SECRETS.join(' ');

let compiled: CompiledService;
let database: TestDatabase;
let dataDir: string;
let service: ChildService;
let trail: AuditTrail;
let origin: string;
let url: string;
let port: number;
let adminKey: string;

beforeAll(async () => {
  compiled = await compileService();
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'forecourt-logs-'));
  port = await freePort();
  service = new ChildService([compiled.main, 'all'], {
    FORECOURT_PROFILE: 'local',
    FORECOURT_DEMO: 'on',
    DATABASE_URL: database.appUrl,
    MIGRATION_DATABASE_URL: database.adminUrl,
    DATA_DIR: dataDir,
    PORT: String(port),
    LOG_LEVEL: 'trace',
  });
  origin = `http://127.0.0.1:${port}`;
  url = `${origin}/mcp`;
  await service.until('Forecourt is ready.');
  adminKey = (await readFile(join(dataDir, 'admin.key'), 'utf8')).trim();
  trail = await AuditTrail.open(database);
});
afterAll(async () => {
  await trail.close();
  await service.stop();
  await database.drop();
  await compiled.remove();
  await rm(dataDir, { recursive: true, force: true });
});

const organization = { organization_id: DEMO_ORGANIZATION };

/** The one record of an answer. */
async function recordOf(answer: WireAnswer): Promise<unknown> {
  const rows = await trail.ofEvent(answer.headers.get('x-request-id'));
  expect(rows).toHaveLength(1);
  return rows[0];
}

describe('The record of a call', () => {
  const common = {
    organization_id: DEMO_ORGANIZATION,
    surface: 'mcp',
    actor_kind: 'anonymous',
    actor: null,
    decision: 'allow',
    policy_version: 'built-in.1',
  };

  it('names tool, profile, rooftops and vehicles of a search, and the trace of its answer', async () => {
    const answer = await callTool(url, SEARCH, { ...organization, rooftop_ids: ['roof.lakeside'], page: { limit: 2 } });
    const { vehicles, trace_id } = answer.json.result.structuredContent as {
      vehicles: { vehicle_id: string }[];
      trace_id: string;
    };
    expect(await recordOf(answer)).toMatchObject({
      ...common,
      operation: SEARCH,
      profile: 'dealeragent.inventory.read/0.1',
      outcome: 'succeeded',
      reason: null,
      failure_code: null,
      rooftop_ids: ['roof.lakeside'],
      resource_ids: vehicles.map((v) => v.vehicle_id),
      trace_id,
    });
  });

  it('names the rooftops whose vehicles were shown', async () => {
    const answer = await callTool(url, SEARCH, { ...organization, sort: { field: 'advertised_price', order: 'asc' } });
    const shown = answer.json.result.structuredContent.vehicles as { rooftop_id: string }[];
    const row = (await recordOf(answer)) as { rooftop_ids: string[] };
    expect(row.rooftop_ids.toSorted()).toEqual([...new Set(shown.map((v) => v.rooftop_id))].toSorted());
  });

  it.each([
    {
      what: 'arguments that do not fit',
      tool: SEARCH,
      args: { organization_id: 7 },
      row: { outcome: 'failed', failure_code: 'input.invalid', policy_version: null },
    },
    {
      what: 'an absent vehicle',
      tool: VEHICLE,
      args: { ...organization, rooftop_id: 'roof.downtown', vehicle_id: 'veh.none' },
      row: { outcome: 'failed', failure_code: 'vehicle.not_found' },
    },
    {
      what: 'another organization',
      tool: DEALER,
      args: { organization_id: 'org.other' },
      row: {
        outcome: 'denied',
        decision: 'deny',
        failure_code: 'resource.not_found',
        reason: 'organization_not_of_this_endpoint',
      },
    },
    {
      what: 'an unknown rooftop',
      tool: DEALER,
      args: { rooftop_ids: ['roof.none'] },
      row: { outcome: 'failed', failure_code: 'resource.not_found', reason: 'rooftop_unknown' },
    },
    {
      what: 'facts that no searched rooftop publishes',
      tool: SEARCH,
      args: { ...organization, rooftop_ids: ['roof.westside'], sort: { field: 'inventory_age_days', order: 'asc' } },
      row: { outcome: 'failed', failure_code: 'capability.unsupported', reason: 'used_vehicle_facts_not_published' },
    },
    {
      what: 'a cursor of somebody else',
      tool: SEARCH,
      args: { ...organization, page: { cursor: 'AAAA' } },
      row: { outcome: 'failed', failure_code: 'input.cursor_rejected' },
    },
  ])('tells the true reason of $what, under the trace id of the error', async ({ tool, args, row }) => {
    const answer = await callTool(url, tool, args);
    const { trace_id } = answer.json.result.structuredContent;
    expect(await recordOf(answer)).toMatchObject({ ...common, operation: tool, trace_id, ...row });
  });

  it('is there for a resource, too, and for each call of a batch', async () => {
    const read = await postModern(url, 'resources/read', { uri: 'dealeragent://manifest' });
    expect(await recordOf(read)).toMatchObject({
      ...common,
      operation: MANIFEST,
      outcome: 'succeeded',
      resource_ids: ['dealeragent://manifest'],
    });
    const batch = [1, 2, 3].map((id) => legacy('tools/call', { name: DEALER, arguments: {} }, id));
    expect(await trail.addedBy(() => post(url, batch))).toBe(3);
  });

  it('is there for a credential that is refused, without the credential', async () => {
    const answer = await post(url, legacy('tools/call', { name: DEALER, arguments: {} }), {
      authorization: 'Bearer not-a-token',
    });
    expect(answer.status).toBe(401);
    const rows = await trail.ofEvent(answer.headers.get('x-request-id'));
    expect(rows).toMatchObject([
      { operation: 'mcp.request', decision: 'deny', outcome: 'denied', failure_code: 'caller.credential_invalid' },
    ]);
    expect(JSON.stringify(rows)).not.toContain('not-a-token');
  });

  it('is not made for lists, discovery, and calls that are none', async () => {
    const silent = async (): Promise<void> => {
      await post(url, legacy('tools/list'));
      await post(url, legacy('tools/call', { name: 'no.such.tool' }));
      await postModern(url, 'server/discover');
      await send(`${origin}/health/ready`, {});
    };
    expect(await trail.addedBy(silent)).toBe(0);
  });
});

describe('E-mail, telephone, social security number and token', () => {
  const refusals: string[] = [];
  /** Keeps what a caller gets to read, where it is a failure. */
  const keep = (answer: { readonly text: string }): void => {
    if (/"error":|"isError":true/.test(answer.text)) refusals.push(answer.text);
  };

  it('sent in every argument, header, name, id and path', async () => {
    const strings = { organization_id: ALL, rooftop_id: ALL, vehicle_id: ALL, vin: ALL, stock_number: ALL, query: ALL };
    for (const tool of [SEARCH, VEHICLE, DEALER, MANIFEST]) keep(await callTool(url, tool, { ...strings, [ALL]: ALL }));
    keep(
      await callTool(url, SEARCH, {
        ...organization,
        query: ALL,
        filters: { make: [ALL], model: [ALL], stock_number: SECRETS[1] },
      }),
    );
    keep(
      await callTool(url, SEARCH, {
        ...organization,
        filters: { vin: ALL, [ALL]: 1, condition: [ALL] },
        sort: { field: ALL, order: ALL },
      }),
    );
    keep(
      await callTool(url, SEARCH, {
        ...organization,
        page: { cursor: Buffer.from(ALL).toString('base64url'), limit: ALL },
      }),
    );
    for (const secret of SECRETS) {
      keep(await callTool(url, SEARCH, { ...organization, query: secret, page: { cursor: secret } }));
      keep(await callTool(url, VEHICLE, { ...organization, rooftop_id: 'roof.downtown', stock_number: secret }));
      keep(await post(url, legacy('tools/call', { name: secret, arguments: {} })));
      keep(await post(url, legacy(secret, { uri: secret })));
      keep(await post(url, legacy('resources/read', { uri: `dealeragent://${secret}` })));
      keep(await post(url, legacy('tools/list', { cursor: secret })));
      keep(await post(url, legacy('ping'), { 'mcp-protocol-version': secret }));
      keep(await post(url, `{"${secret}": ${secret}`));
      keep(await post(url, legacy('ping'), { 'content-type': `text/${secret.replaceAll('@', '')}` }));
      keep(await postModern(url, 'tools/list', {}, { 'mcp-method': secret }));
      keep(
        await post(
          url,
          { ...legacy('tools/list'), params: { _meta: modernMeta(secret) } },
          modernHeaders('tools/list'),
        ),
      );
      for (const authorization of [`Bearer ${secret}`, `Basic ${secret}`, secret]) {
        keep(await post(url, legacy('ping'), { authorization }));
        keep(await send(`${origin}/admin/v1/feeds`, { headers: { authorization } }));
      }
    }
    const noisy = {
      'user-agent': ALL,
      referer: `https://x/?q=${encodeURIComponent(ALL)}`,
      cookie: `id=${ALL}`,
      'x-forwarded-for': ALL,
      traceparent: ALL,
      'x-request-id': ALL,
      'mcp-session-id': ALL,
    };
    keep(
      await post(url, legacy('initialize', { clientInfo: { name: ALL, version: ALL }, protocolVersion: ALL }), noisy),
    );
    expect(refusals.length).toBeGreaterThan(60);
  });

  it('sent to the admin API and to places that are not there', async () => {
    const authorization = `Bearer ${adminKey}`;
    const admin = (method: string, path: string, body?: unknown): Promise<WireAnswer> =>
      send(`${origin}/admin/v1/${path}`, {
        method,
        headers: { authorization, 'content-type': 'application/json', ...(method === 'POST' ? freshKey() : {}) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    for (const secret of SECRETS) {
      const named = encodeURIComponent(secret);
      keep(
        await admin('POST', 'feeds', {
          feed_id: secret,
          name: 7,
          profile: secret,
          rooftops: { rooftop_id: secret },
          [secret]: 1,
        }),
      );
      keep(
        await admin('POST', 'unit-events', {
          event_id: secret,
          rooftop_id: secret,
          vin: secret,
          kind: secret,
          source_time: secret,
        }),
      );
      keep(await admin('GET', `feeds/${named}`));
      keep(await admin('GET', `feed-runs/${named}/rows?disposition=${named}`));
      keep(await admin('GET', `vehicles/${named}/source`));
      keep(await send(`${origin}/organizations/${named}/policy?token=${named}`, {}));
      keep(
        await send(`${origin}/${named}?key=${named}`, {
          method: 'POST',
          headers: { 'content-type': secret.replaceAll('@', '') },
        }),
      );
      keep(await rawRequest(port, '/mcp', { headers: { host: secret, origin: `https://${secret}` } }));
      keep(await exchange(port, [`${secret} / HTTP/1.1\r\n\r\n`]));
    }
    expect(refusals.length).toBeGreaterThan(90);
  });

  it('are in no error, in no record and in no line of the log at its most talkative', async () => {
    const places = { errors: refusals.join('\n'), records: await trail.text(), log: service.output };
    expect(service.output).toContain('"level":"');
    for (const [place, text] of Object.entries(places)) {
      for (const secret of [...SECRETS, ...SECRETS.map(encodeURIComponent), adminKey, database.appUrl]) {
        expect({ place, secret, found: text.includes(secret) }).toEqual({ place, secret, found: false });
      }
    }
  });
});
