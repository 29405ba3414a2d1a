import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAdmin, freshKey } from '../support/admin-client.js';
import type { WireAnswer } from '../support/mcp-http.js';
import { send } from '../support/mcp-http.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';

/** Every body of the admin API, found in the description of the running service. */

interface Body {
  readonly method: string;
  readonly path: string;
  readonly members: readonly string[];
}

let service: TestService;
let staff: string;
let bodies: readonly Body[];

beforeAll(async () => {
  service = await startTestService({ demo: false });
  staff = `Bearer ${await service.adminToken()}`;
  const { json } = await callAdmin(service, staff, 'GET', 'openapi.json');
  bodies = Object.entries(json.paths as Record<string, Record<string, never>>).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      const described = operation as {
        readonly 'x-forecourt-roles'?: readonly string[];
        readonly requestBody?: { readonly content: Record<string, { readonly schema: { readonly $ref?: string } }> };
      };
      const ref = described.requestBody?.content['application/json']?.schema.$ref;
      if (ref === undefined || described['x-forecourt-roles'] === undefined) return [];
      const schema = json.components.schemas[ref.slice(ref.lastIndexOf('/') + 1)] as { properties?: object };
      const named = path.replace('/admin/v1/', '').replace(/\{\w+\}/g, 'some.id');
      return [{ method: method.toUpperCase(), path: named, members: Object.keys(schema.properties ?? {}) }];
    }),
  );
});
afterAll(() => service.stop());

const ask = ({ method, path }: Body, body: unknown): Promise<WireAnswer> =>
  callAdmin(service, staff, method, path, body, { 'if-match': '"1"', 'content-type': 'application/json' });

/** What no body may answer: success, or a failure of the service's own. Operators' routes refuse this caller before. */
const refused = (answer: WireAnswer): boolean => [400, 403].includes(answer.status);

describe('Every body of the admin API', () => {
  it('is in the description', () => {
    expect(bodies.length).toBeGreaterThan(10);
    expect(bodies.filter(({ members }) => members.length === 0)).toEqual([]);
  });

  it('takes no member that is not its own, whatever it is called', async () => {
    for (const body of bodies) {
      for (const name of [
        'surplus',
        'organization_id_',
        'version',
        'revoked_at',
        'created_at',
        'secret_hash',
        'constructor',
        '__proto__',
      ]) {
        if (body.members.includes(name)) continue;
        const answer = await ask(body, `{"${name}": 1}`);
        expect({ ...body, name, refused: refused(answer) }).toEqual({ ...body, name, refused: true });
        if (answer.status !== 400 || name === '__proto__' || name === 'constructor') continue;
        const violations = (answer.json.error.details?.violations ?? []) as { pointer: string; keyword: string }[];
        expect({ path: body.path, name, violations }).toMatchObject({
          violations: expect.arrayContaining([
            expect.objectContaining({ pointer: `/${name}`, keyword: 'additionalProperties' }),
          ]) as object,
        });
      }
    }
  });

  it('is refused with members of any other type, all at once, and nothing of it comes back', async () => {
    for (const body of bodies) {
      for (const value of ['{"other":"MARK"}', '["MARK"]', '[[[["MARK"]]]]', '7e300', 'true']) {
        const answer = await ask(body, `{${body.members.map((name) => `"${name}":${value}`).join(',')}}`);
        expect({ ...body, value, refused: refused(answer) }).toEqual({ ...body, value, refused: true });
        expect(answer.text).not.toContain('MARK');
      }
      for (const whole of ['[]', '"x"', '7', 'null', 'true']) {
        const answer = await ask(body, whole);
        expect({ ...body, whole, refused: refused(answer) }).toEqual({ ...body, whole, refused: true });
      }
    }
  });

  it('is refused with arrays and texts beyond any bound, and with nesting that is too deep', async () => {
    const many = JSON.stringify(Array.from({ length: 5000 }, (_, i) => `x${i}`));
    const long = JSON.stringify('x'.repeat(100_000));
    const deep = `${'['.repeat(100)}${']'.repeat(100)}`;
    for (const body of bodies) {
      for (const [what, value] of Object.entries({ many, long, deep })) {
        const answer = await ask(body, `{${body.members.map((name) => `"${name}":${value}`).join(',')}}`);
        expect({ ...body, what, refused: refused(answer) || answer.status === 413 }).toEqual({
          ...body,
          what,
          refused: true,
        });
      }
    }
  });

  it('is too large above the limit, also when no length is said, and is not unpacked', async () => {
    const body = bodies.find(({ path }) => path === 'grants')!;
    const large = Buffer.alloc(service.settings.MAX_REQUEST_BYTES + 1, ' ');
    const headers = { authorization: staff, 'content-type': 'application/json', ...freshKey() };
    const url = `${service.origin}/admin/v1/${body.path}`;
    const chunked = new ReadableStream({
      start: (controller) => {
        for (let at = 0; at < large.length; at += 65_536) controller.enqueue(large.subarray(at, at + 65_536));
        controller.close();
      },
    });
    const answers = [
      await send(url, { method: 'POST', headers, body: large }),
      await send(url, { method: 'POST', headers, body: chunked, duplex: 'half' }),
    ];
    expect(answers.map((a) => [a.status, a.json.error.code as string])).toEqual([
      [413, 'body_too_large'],
      [413, 'body_too_large'],
    ]);
    const packed = await send(url, {
      method: 'POST',
      headers: { ...headers, 'content-encoding': 'gzip' },
      body: gzipSync(large),
    });
    expect(packed).toMatchObject({
      status: 400,
      json: { error: { code: 'invalid_request', details: { reason: 'unsupported_encoding' } } },
    });
  });
});
