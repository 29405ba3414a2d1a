import { expect } from 'vitest';
import type { DealerPolicyDocument } from '../../src/modules/tenancy/index.js';
import { BUILT_IN_POLICY } from '../../src/modules/tenancy/index.js';
import { callAdmin } from './admin-client.js';
import type { WireAnswer } from './mcp-http.js';
import type { TestService } from './service.js';
import { personBearer } from './staff.js';

type Service = Pick<TestService, 'parts' | 'origin'>;

/** Two persons who are not the same. */
export interface TwoPersons {
  readonly admin: string;
  readonly compliance: string;
}

/** The second person approves what is waiting, as it is shown. */
export async function approve(service: Service, personId: string, approvalId: string): Promise<void> {
  const bearer = await personBearer(service, personId);
  const shown = await callAdmin(service, bearer, 'GET', `approvals/${approvalId}`);
  const { content_hash } = shown.json.data as { content_hash: string };
  const answer = await callAdmin(service, bearer, 'POST', `approvals/${approvalId}/approve`, { content_hash });
  expect(answer.status, answer.text).toBeLessThan(300);
}

/** Calls an admin action that needs a second person twice: before and after that person approved. @returns the second answer */
export async function withApproval(
  service: Service,
  persons: TwoPersons,
  act: (bearer: string) => Promise<WireAnswer>,
): Promise<WireAnswer> {
  const bearer = await personBearer(service, persons.admin);
  const asked = await act(bearer);
  const { approval_id: approvalId } = asked.json.error.details as { approval_id: string };
  expect(approvalId, asked.text).toBeTypeOf('string');
  await approve(service, persons.compliance, approvalId);
  return act(bearer);
}

/** Puts a policy in force as staff do it: draft, approval of a second person, publication. @returns its version */
export async function publishPolicy(
  service: Service,
  persons: TwoPersons,
  changes: Partial<DealerPolicyDocument>,
): Promise<number> {
  const bearer = await personBearer(service, persons.admin);
  const document = { ...BUILT_IN_POLICY, ...changes };
  const draft = await callAdmin(service, bearer, 'POST', 'policies/drafts', { document, reason: 'Test' });
  expect(draft.status, draft.text).toBe(201);
  const path = `policies/drafts/${draft.json.data.draft_id as string}/publish`;
  const headers = { 'if-match': draft.headers.get('etag') };
  const published = await withApproval(service, persons, (by) =>
    callAdmin(service, by, 'POST', path, undefined, headers),
  );
  expect(published.status, published.text).toBe(201);
  return published.json.data.version as number;
}
