import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LetIn } from '../support/agents.js';
import { connectSource, letAgentIn } from '../support/agents.js';
import { AuditTrail } from '../support/audit-trail.js';
import type { FakeUpstream } from '../support/fake-upstream.js';
import { startFakeUpstream, UPSTREAM_CA_FILE } from '../support/fake-upstream.js';
import { callTool, modernHeaders, modernMeta } from '../support/mcp-http.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';

const VERIFY = 'dealeragent.inventory.verify_availability';
const ROOFTOP = 'roof.downtown';
const SLOW_MS = 2000;

let upstream: FakeUpstream;
let service: TestService;
let trail: AuditTrail;
let agent: LetIn;
let url: string;
let unasked: string[];

beforeAll(async () => {
  upstream = await startFakeUpstream();
  service = await startTestService({
    env: { EGRESS_ALLOWED_HOSTS: upstream.host, EGRESS_CA_FILE: UPSTREAM_CA_FILE },
  });
  url = `${service.origin}/mcp`;
  trail = await AuditTrail.open(service.database);
  const { json } = await callTool(url, 'dealeragent.inventory.search', {
    organization_id: service.organizationId,
    rooftop_ids: [ROOFTOP],
  });
  unasked = (json.result.structuredContent.vehicles as { vehicle_id: string }[]).map((v) => v.vehicle_id);
  const source = { name: 'dms', url: upstream.url, authoritative: true, valid_seconds: 60, timeout_ms: 3 * SLOW_MS };
  await connectSource(service, ROOFTOP, source);
  agent = await letAgentIn(service);
  const body = (): object => ({ status: 'available', observed_at: new Date().toISOString() });
  upstream.answer(() => ({ body: body(), afterMs: SLOW_MS }));
});
afterAll(async () => {
  await trail.close();
  await service.stop();
  upstream.stop();
});

/** Sends a check and hangs up while the dealer's system thinks. @returns what the trail says once the check is over. */
async function hangUp(members: object, headers: Readonly<Record<string, string>>): Promise<readonly unknown[]> {
  const before = (await trail.ofOperation(VERIFY)).length;
  const asked = upstream.asked.length;
  const caller = new AbortController();
  const unit = { organization_id: service.organizationId, rooftop_id: ROOFTOP, vehicle_id: unasked.pop() };
  const params = { name: VERIFY, arguments: unit, ...members };
  const sent = fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: agent.bearer, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    signal: caller.signal,
  });
  await expect.poll(() => upstream.asked.length, { timeout: 20_000 }).toBe(asked + 1);
  caller.abort();
  await expect(sent).rejects.toThrow();
  const ended = async (): Promise<number> => (await trail.ofOperation(VERIFY)).length;
  await expect.poll(ended, { timeout: 3 * SLOW_MS }).toBe(before + 1);
  return (await trail.ofOperation(VERIFY)).slice(before);
}

describe('A caller that hangs up while a check is under way', () => {
  it('ends its call in the modern era, and the trail says why', async () => {
    const ended = hangUp({ _meta: modernMeta() }, modernHeaders('tools/call', VERIFY));
    expect(await ended).toMatchObject([
      { outcome: 'failed', reason: 'caller_gone', failure_code: 'upstream.unavailable' },
    ]);
  });

  it('does not end it under an older revision', async () => {
    expect(await hangUp({}, {})).toMatchObject([{ outcome: 'succeeded', reason: null }]);
  });
});
