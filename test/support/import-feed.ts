import { expect, vi } from 'vitest';
import { callAdmin } from './admin-client.js';
import type { TestService } from './service.js';

/** Configures a feed of several rooftops, whose keys are their ids, sends it a file over the admin API and waits until it is served. */
export async function importFeed(
  service: TestService,
  feedId: string,
  file: {
    readonly profile: string;
    readonly content: string;
    readonly rooftopIds: readonly string[];
    readonly settings?: object;
  },
): Promise<void> {
  const authorization = `Bearer ${await service.adminToken()}`;
  const created = await callAdmin(service, authorization, 'POST', 'feeds', {
    feed_id: feedId,
    name: feedId,
    profile: file.profile,
    ...(file.settings === undefined ? {} : { settings: file.settings }),
    rooftops: { rooftop_keys: Object.fromEntries(file.rooftopIds.map((id) => [id, id])) },
  });
  expect(created.status, created.text).toBe(201);
  await sendFeedFile(service, feedId, file.content);
}

/** Sends a configured feed one more file and waits until it is served. */
export async function sendFeedFile(service: TestService, feedId: string, content: string): Promise<void> {
  const authorization = `Bearer ${await service.adminToken()}`;
  const received = await callAdmin(service, authorization, 'POST', `feeds/${feedId}/files`, content);
  expect(received.status, received.text).toBe(202);
  const { run_id: runId } = received.json.data as { run_id: string };
  const run = (): Promise<{ text: string; json: { data: { state: string } } }> =>
    callAdmin(service, authorization, 'GET', `feed-runs/${runId}`);
  const ended = await vi.waitUntil(
    async () => {
      const answer = await run();
      return /queued|running/.test(answer.json.data.state) ? undefined : answer;
    },
    { timeout: 60_000, interval: 100 },
  );
  expect(ended.json.data.state, ended.text).toBe('published');
}
