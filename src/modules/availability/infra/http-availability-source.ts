import { LIMITS } from '../../../kernel/limits.js';
import { upstreamTraceHeaders } from '../../../kernel/trace-context.js';
import type { EgressAnswer, EgressClient } from '../../../platform/egress/egress-client.js';
import { EgressRefused } from '../../../platform/egress/egress-refused.js';
import type { AvailabilitySource, SourceQuestion, SourceReply } from '../app/availability-source.js';
import { SourceFailed } from '../app/availability-source.js';
import type { CredentialFolder } from '../../../platform/config/credential-folder.js';

const GONE = 410;

/**
 * Asks over HTTPS through the egress guard: `POST {rooftop_id, vin, stock_number}`. It brings the credential of the
 * deployment for this source and nothing of the caller (DAP-SEC-004).
 */
export class HttpAvailabilitySource implements AvailabilitySource {
  constructor(
    private readonly egress: EgressClient,
    private readonly credentials: CredentialFolder,
  ) {}

  async ask(question: SourceQuestion): Promise<SourceReply> {
    const { source, rooftopId, vin, stockNumber, trace } = question;
    const authorization = await this.authorizationFor(source.credential);
    try {
      const answer = await this.egress.post({
        url: source.url,
        headers: {
          'user-agent': 'Forecourt-availability',
          accept: 'application/json',
          ...authorization,
          ...upstreamTraceHeaders(trace),
        },
        json: { rooftop_id: rooftopId, vin, stock_number: stockNumber },
        maxBytes: LIMITS.sourceAnswerBytes.value,
        timeoutMs: source.timeout_ms,
      });
      if (answer.status === 200) return { kind: 'answer', body: await parsed(answer) };
      await answer.discard();
      if (answer.status === GONE) return { kind: 'gone' };
      throw new SourceFailed(`http_${answer.status}`);
    } catch (error) {
      throw error instanceof EgressRefused ? new SourceFailed(error.reason, error) : error;
    }
  }

  private async authorizationFor(credential: string | undefined): Promise<Readonly<Record<string, string>>> {
    if (credential === undefined) return {};
    const secret = await this.credentials.read(credential);
    if (secret === undefined) throw new SourceFailed('credential_missing');
    return { authorization: `Bearer ${secret}` };
  }
}

async function parsed(answer: EgressAnswer): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)));
  } catch (error) {
    throw new SourceFailed('answer_not_json', error);
  }
}
