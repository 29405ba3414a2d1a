import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { login } from '../../src/command/login-command.js';
import { addPerson, codeOf } from '../support/oauth-world.js';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
let dir: string;
beforeAll(async () => {
  service = await startTestService({ demo: false });
  dir = await mkdtemp(join(tmpdir(), 'forecourt-login-'));
});
afterAll(async () => {
  await service.stop();
  await rm(dir, { recursive: true, force: true });
});

const said: unknown[] = [];
const output = {
  result: (human: string, machine: unknown) => void said.push(human, machine),
  progress: () => undefined,
};

describe('forecourt login', () => {
  it('writes a token of the person to a file that only its owner can read, and says none of it', async () => {
    const person = await addPerson(service, 'admin');
    const out = join(dir, 'deep', 'token');
    const code = await codeOf(service, person);
    expect(await login({ person, code, url: `${service.origin}/`, out }, output)).toBe(0);
    const token = (await readFile(out, 'utf8')).trim();
    expect((await stat(out)).mode & 0o777).toBe(0o600);
    expect(JSON.stringify(said)).not.toContain(token);
    const now = Math.floor(Date.now() / 1000);
    const claims = decodeJwt(token);
    expect(claims).toMatchObject({
      iss: `${service.origin}/oauth`,
      aud: `${service.origin}/admin`,
      sub: person,
      client_id: 'forecourt-cli',
      scope: 'forecourt:admin',
      organization_id: service.organizationId,
      amr: ['otp'],
    });
    expect(Math.abs(Number(claims['auth_time']) - now)).toBeLessThan(120);
    expect(Number(claims.exp) - Number(claims.iat)).toBe(600);
    const admin = await fetch(`${service.origin}/admin/v1/staff`, { headers: { authorization: `Bearer ${token}` } });
    expect(admin.status).toBe(200);
  });

  it('says what to do about a wrong code, another address and no service', async () => {
    const person = await addPerson(service, 'admin');
    const out = join(dir, 'never');
    const wrong = login({ person, code: 'AAAA-AAAA-AAAA', url: service.origin, out }, output);
    await expect(wrong).rejects.toThrow('that person and code do not belong together');
    await expect(login({ person, code: 'x', url: 'http://127.0.0.1:1', out }, output)).rejects.toThrow(
      'cannot be reached',
    );
    await expect(login({ person: '../x', code: 'x', url: service.origin, out }, output)).rejects.toThrow('--person');
    await expect(stat(out)).rejects.toThrow('ENOENT');
  });
});
