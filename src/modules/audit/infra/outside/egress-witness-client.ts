import type { EgressClient } from '../../../../platform/egress/egress-client.js';
import { EgressRefused } from '../../../../platform/egress/egress-refused.js';
import type { WitnessClient, WitnessReply } from '../../app/outside/witness-client.js';

const TIMEOUT_MS = 10_000;
const ANSWER_MAX = 8192;

/** Witnesses behind the egress guard: public addresses over https, or what the installation exempts. */
export class EgressWitnessClient implements WitnessClient {
  constructor(private readonly egress: EgressClient) {}

  async addCheckpoint(address: string, body: string): Promise<WitnessReply> {
    try {
      const answer = await this.egress.post({
        url: `${address.replace(/\/+$/, '')}/add-checkpoint`,
        text: body,
        type: 'text/plain; charset=utf-8',
        maxBytes: ANSWER_MAX,
        timeoutMs: TIMEOUT_MS,
      });
      const chunks: Uint8Array[] = [];
      for await (const chunk of answer.body) chunks.push(chunk);
      return { status: answer.status, body: Buffer.concat(chunks).toString('utf8') };
    } catch (error) {
      return { unreachable: error instanceof EgressRefused ? error.reason : 'unreachable' };
    }
  }
}
