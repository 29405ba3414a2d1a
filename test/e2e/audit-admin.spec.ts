import { createPublicKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCheckpoint } from '../../src/modules/audit/domain/log/checkpoint.js';
import { includes } from '../../src/modules/audit/domain/log/merkle-proof.js';
import { leafOf } from '../../src/modules/audit/domain/stored-record.js';
import { VerifyAuditLog } from '../../src/modules/audit/index.js';
import { DEMO_ORGANIZATION } from '../../src/demo/demo-group.js';
import { callAdmin, createKey } from '../support/admin-client.js';
import { callTool } from '../support/mcp-http.js';
import type { WireAnswer } from '../support/mcp-http.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';

const SEARCH = 'dealeragent.inventory.search';

let service: TestService;
let auditor: string;
let admin: string;

beforeAll(async () => {
  service = await startTestService();
  auditor = `Bearer ${await createKey(service, DEMO_ORGANIZATION, 'auditor')}`;
  admin = `Bearer ${await createKey(service, DEMO_ORGANIZATION, 'admin')}`;
});
afterAll(() => service.stop());

const audit = (authorization: string, path: string): Promise<WireAnswer> =>
  callAdmin(service, authorization, 'GET', `audit/${path}`);
const url = (): string => `${service.origin}/mcp`;

/** Asks until a checkpoint covers the record. */
async function proofOf(eventId: string): Promise<WireAnswer> {
  for (let i = 0; ; i++) {
    const answer = await audit(auditor, `records/${eventId}/proof`);
    if (answer.status !== 429 || i > 30) return answer;
    await new Promise((done) => setTimeout(done, 300));
  }
}

describe('the trail of an organization', () => {
  it('is searched by what happened, newest first, page by page without loss or repetition', async () => {
    for (let i = 0; i < 7; i++)
      await callTool(url(), SEARCH, { organization_id: DEMO_ORGANIZATION, page: { limit: 2 } });
    const whole = await audit(auditor, `records?operation=${SEARCH}`);
    expect(whole.json.data.records).toHaveLength(7);
    const seen: string[] = [];
    let after: string | null = '';
    while (after !== null) {
      const page: WireAnswer = await audit(
        auditor,
        `records?operation=${SEARCH}&limit=3${after === '' ? '' : `&after=${encodeURIComponent(after)}`}`,
      );
      expect(page.status).toBe(200);
      seen.push(...page.json.data.records.map((r: { event_id: string }) => r.event_id));
      after = page.json.data.next_after;
    }
    expect(seen).toEqual(whole.json.data.records.map((r: { event_id: string }) => r.event_id));
    expect(new Set(seen).size).toBe(7);
  });

  it('is found by the trace id of an answer', async () => {
    const answer = await callTool(url(), SEARCH, { organization_id: DEMO_ORGANIZATION, filters: { make: 7 } });
    const { trace_id: traceId } = answer.json.result.structuredContent;
    const found = await audit(admin, `records?trace_id=${traceId}`);
    expect(found.json.data.records).toMatchObject([
      { trace_id: traceId, operation: SEARCH, outcome: 'failed', failure_code: 'input.invalid' },
    ]);
  });

  it('shows bodies to auditors and metadata to others', async () => {
    const whole = (await audit(auditor, 'records?limit=1')).json.data.records[0];
    const metadata = (await audit(admin, 'records?limit=1')).json.data.records[0];
    expect(Object.keys(whole)).toEqual(expect.arrayContaining(['actor', 'resource_ids', 'reason']));
    for (const hidden of ['actor', 'client', 'resource_ids', 'reason', 'purpose'])
      expect(metadata).not.toHaveProperty(hidden);
    expect((await audit(admin, 'records?actor=somebody')).status).toBe(403);
    expect((await audit(admin, `records/${whole.event_id}/proof`)).status).toBe(403);
  });

  it('records each look', async () => {
    const looks = async (): Promise<number> =>
      (await audit(auditor, 'records?operation=audit.search&limit=500')).json.data.records.length;
    const before = await looks();
    expect(await looks()).toBe(before + 1);
  });

  it('counts for a rooftop what agents asked, without a word of theirs', async () => {
    await callTool(url(), SEARCH, { organization_id: DEMO_ORGANIZATION, query: 'honda' });
    const rooftop = (await audit(admin, `records?operation=${SEARCH}&limit=1`)).json.data.records[0].rooftop_ids[0];
    const from = new Date(Date.now() - 86_400_000).toISOString();
    const to = new Date(Date.now() + 86_400_000).toISOString();
    const { json, text } = await audit(admin, `receipts?rooftop_id=${rooftop}&from=${from}&to=${to}`);
    const lines = json.data.lines as { operation: string; outcome: string; calls: number }[];
    expect(lines.find((l) => l.operation === SEARCH && l.outcome === 'succeeded')?.calls).toBeGreaterThanOrEqual(1);
    expect(text).not.toContain('honda');
  });

  it.each([
    'records?from=yesterday',
    'records?from=2026-02-30T00:00:00Z',
    'records?after=nonsense',
    'records?limit=501',
    'records?rooftop_id=%27%3B%20DROP%20TABLE',
    'receipts?rooftop_id=roof.a',
  ])('refuses %s with a clear error', async (path) => {
    const answer = await audit(auditor, path);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toMatchObject({ code: 'invalid_input' });
  });
});

describe('a proof', () => {
  it('is checked by an outsider with the public key alone, and is small', async () => {
    const { json } = await callTool(url(), SEARCH, { organization_id: DEMO_ORGANIZATION, filters: { make: 7 } });
    const found = await audit(auditor, `records?trace_id=${json.result.structuredContent.trace_id}`);
    const answer = await proofOf(found.json.data.records[0].event_id);
    const { canon, ...proof } = answer.json.data;
    expect(JSON.stringify(proof).length).toBeLessThan(2000);
    const pem = await readFile(join(service.dataDir, 'secrets', 'audit-signing-key.pem'), 'utf8');
    const checkpoint = openCheckpoint(proof.checkpoint, `forecourt/audit/${DEMO_ORGANIZATION}`, [createPublicKey(pem)]);
    const path = (proof.inclusion_path as string[]).map((hash) => Buffer.from(hash, 'base64'));
    expect(includes(leafOf(canon), proof.seq, checkpoint!.size, path, checkpoint!.root)).toBe(true);
    expect(
      includes(leafOf(canon.replace('failed', 'succeeded')), proof.seq, checkpoint!.size, path, checkpoint!.root),
    ).toBe(false);
  });

  it('does not exist for a record that does not', async () => {
    expect((await audit(auditor, 'records/req_NONE/proof')).json.error).toMatchObject({ code: 'invalid_input' });
  });

  it('belongs to a trail that verifies as a whole while the service runs', async () => {
    const checkpoint = (await audit(auditor, 'checkpoint')).json.data.checkpoint as string;
    const verification = await service.parts.get(VerifyAuditLog).run(DEMO_ORGANIZATION, { kept: [checkpoint] });
    expect(verification).toMatchObject({ result: 'intact', findings: [] });
    expect(verification.checkpoints).toBeGreaterThanOrEqual(2);
  });
});
