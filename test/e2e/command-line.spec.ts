import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/command/exit-codes.js';
import { DEMO_ORGANIZATION } from '../../src/demo/demo-group.js';
import { callAdmin } from '../support/admin-client.js';
import { ChildService, freePort, runToEnd } from '../support/child-service.js';
import type { CompiledService } from '../support/compiled-service.js';
import { compileService } from '../support/compiled-service.js';
import { carLine, csvOf, range, vinOf } from '../support/feed-csv.js';
import { callTool } from '../support/mcp-http.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';
import { withRoom } from '../support/with-room.js';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const BAD = [...range(1, 18), carLine(19, { year: '20x4' }), carLine(20, { vin: '1HGCM82633A00435' })];

let compiled: CompiledService;
let dir: string;
beforeAll(async () => {
  compiled = await compileService();
  dir = await mkdtemp(join(tmpdir(), 'forecourt-command-'));
});
afterAll(async () => {
  await compiled.remove();
  await rm(dir, { recursive: true, force: true });
});

async function fileOf(name: string, content: string): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, content);
  return path;
}

const forecourt = (args: readonly string[], env: Record<string, string> = {}): ReturnType<typeof runToEnd> =>
  runToEnd([compiled.command, ...args], env);

describe('forecourt feed check', () => {
  const sound = ['--profile', 'vauto', '--odometer-unit', 'mi'];

  it('shows what would be published, and ends with 0', async () => {
    const { code, output } = await forecourt([
      'feed',
      'check',
      await fileOf('good.csv', csvOf(range(1, 20))),
      ...sound,
    ]);
    expect({ code, output }).toEqual({
      code: EXIT.done,
      output: expect.stringMatching(/rows +publish +withhold +repeat +quarantine\n20 +20 +0 +0 +0\n/),
    });
  });

  it('lists line, reason and column of every bad row, and ends with 1', async () => {
    const { code, output } = await forecourt(['feed', 'check', await fileOf('bad.csv', csvOf(BAD)), ...sound]);
    expect(code).toBe(EXIT.findings);
    expect(output).toMatch(/20 +18 +0 +0 +2/);
    expect(output).toMatch(/20 +\d+ +year_\w+ +Year/);
    expect(output).not.toContain('20x4');
  });

  it('writes one JSON document for machines', async () => {
    const { code, stdout } = await forecourt([
      'feed',
      'check',
      await fileOf('bad.csv', csvOf(BAD)),
      ...sound,
      '--json',
    ]);
    const report = JSON.parse(stdout) as { tally: object; quarantined: { line: number }[] };
    expect(code).toBe(EXIT.findings);
    expect(report.tally).toMatchObject({ rows: 20, publishable: 18, quarantined: 2 });
    expect(report.quarantined.map((row) => row.line)).toEqual([20, 21]);
  });

  it('reads a file behind a byte order mark', async () => {
    const path = await fileOf('bom.csv', `\ufeff${csvOf([1])}`);
    expect((await forecourt(['feed', 'check', path, ...sound])).code).toBe(EXIT.done);
  });

  it.each([
    {
      what: 'a file that is not there',
      args: () => ['feed', 'check', join(dir, 'none.csv')],
      says: 'is not a file that can be read',
    },
    { what: 'a folder', args: () => ['feed', 'check', dir], says: 'is not a file that can be read' },
    {
      what: 'a file without the columns of a feed',
      args: async () => ['feed', 'check', await fileOf('x.csv', 'a,b\n1,2\n'), '--profile', 'vauto'],
      says: 'cannot be read as a feed',
    },
    {
      what: 'an empty file',
      args: async () => ['feed', 'check', await fileOf('empty.csv', '')],
      says: 'cannot be read as a feed',
    },
    {
      what: 'an unknown option',
      args: () => ['feed', 'check', 'x.csv', '--colour'],
      says: "unknown option '--colour'",
    },
    {
      what: 'an unknown unit',
      args: () => ['feed', 'check', 'x.csv', '--odometer-unit', 'leagues'],
      says: 'Allowed choices are mi, km',
    },
    {
      what: 'a store key without rooftop',
      args: async () => ['feed', 'check', await fileOf('k.csv', csvOf([1])), '--key', 'NORTH'],
      says: 'STORE_KEY=ROOFTOP_ID',
    },
    {
      what: 'settings that are no JSON',
      args: async () => ['feed', 'check', await fileOf('s.csv', csvOf([1])), '--settings', await fileOf('s.json', '{')],
      says: 's.json',
    },
    {
      what: 'a format that nobody knows',
      args: async () => ['feed', 'check', await fileOf('p.csv', csvOf([1])), '--profile', 'nobodys'],
      says: 'profile unknown',
    },
    {
      what: 'a zone of another planet',
      args: async () => ['feed', 'check', await fileOf('z.csv', csvOf([1])), '--time-zone', 'Mars/Olympus'],
      says: 'the time zone is not an IANA name',
    },
    { what: 'no command', args: () => [], says: 'Usage: forecourt' },
    { what: 'an unknown command', args: () => ['sell'], says: "unknown command 'sell'" },
    { what: 'no file', args: () => ['feed', 'check'], says: "missing required argument 'file'" },
    {
      what: 'an import into nothing',
      args: () => ['feed', 'import', 'x.csv'],
      says: "required option '--organization <id>'",
    },
    {
      what: 'a key of no role',
      args: () => ['key', 'create', '--organization', 'o', '--name', 'n', '--role', 'king'],
      says: 'Allowed choices are admin, compliance, auditor, app',
    },
  ])('ends with 2 and says why: $what', async ({ args, says }) => {
    const { code, output } = await forecourt(await args());
    expect({ code, output }).toEqual({ code: EXIT.usage, output: expect.stringContaining(says) });
    expect(output).not.toMatch(/\n\s+at .*:\d+/);
  });

  it.each([['--help'], ['feed', '--help'], ['feed', 'import', '--help'], ['--version']])(
    'ends with 0 when asked for help: %s',
    async (...args) => {
      const { code, output } = await forecourt(args);
      expect({ code, empty: output === '' }).toEqual({ code: EXIT.done, empty: false });
    },
  );

  it('is what bin/forecourt.mjs runs', async () => {
    const { code, output } = await runToEnd([join(REPOSITORY, 'bin/forecourt.mjs'), '--version'], {});
    const { version } = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8')) as { version: string };
    expect({ code, output: output.trim().split('\n').at(-1) }).toEqual({ code: 0, output: version });
  });
});

describe('Commands beside a running service with a database of its own', () => {
  let service: TestService;
  let env: Record<string, string>;
  let key: string;
  beforeAll(async () => {
    service = await startTestService({ demo: false });
    env = {
      DATABASE_URL: service.database.appUrl,
      MIGRATION_DATABASE_URL: service.database.adminUrl,
      DATA_DIR: service.dataDir,
      FORECOURT_SECRET: service.settings.FORECOURT_SECRET ?? '',
    };
    key = `Bearer ${await service.adminToken()}`;
    const feed = {
      feed_id: 'feed.lot',
      name: 'Lot',
      profile: 'vauto',
      rooftops: { rooftop_id: 'roof.downtown' },
      settings: { odometer_unit: 'mi', guards: { bad_row_share: 0.2 } },
    };
    expect((await callAdmin(service, key, 'POST', 'feeds', feed)).status).toBe(201);
  });
  afterAll(() => service.stop());

  const into = ['--organization', DEMO_ORGANIZATION, '--feed', 'feed.lot'];
  const find = async (number: number): Promise<string | undefined> => {
    const args = { organization_id: DEMO_ORGANIZATION, rooftop_id: 'roof.downtown', vin: vinOf(number) };
    const { json } = await callTool(`${service.origin}/mcp`, 'dealeragent.inventory.get_vehicle', args);
    return json.result.structuredContent.vin as string | undefined;
  };

  it('feed import publishes a file, and the service serves it', async () => {
    const { code, stdout } = await forecourt(
      ['feed', 'import', await fileOf('lot.csv', csvOf(range(1, 20))), ...into, '--json'],
      env,
    );
    expect(code).toBe(EXIT.done);
    expect(JSON.parse(stdout)).toMatchObject({ state: 'published', report: { publishable: 20 } });
    await expect.poll(() => find(20)).toBe(vinOf(20));
  });

  it('feed import says when the very content is served already', async () => {
    const again = await forecourt(['feed', 'import', join(dir, 'lot.csv'), ...into], env);
    expect(again).toMatchObject({ code: EXIT.done, output: expect.stringContaining('is being served already') });
  });

  it('feed import ends with 1 for a file that is held', async () => {
    const held = await forecourt(['feed', 'import', await fileOf('short.csv', csvOf([1])), ...into], env);
    expect(held).toMatchObject({
      code: EXIT.findings,
      output: expect.stringMatching(/held, held for shrink:roof\.downtown/),
    });
    expect(await find(20)).toBe(vinOf(20));
  });

  it('feed import ends with 2 for a file that is not there, before it asks for a database', async () => {
    expect((await forecourt(['feed', 'import', join(dir, 'none.csv'), ...into])).code).toBe(EXIT.usage);
  });

  it('feed import ends with 2 for a feed that is not there, at once and not hanging', async () => {
    const elsewhere = [...into.slice(0, -1), 'feed.nowhere'];
    expect((await forecourt(['feed', 'import', join(dir, 'lot.csv'), ...elsewhere], env)).code).toBe(EXIT.usage);
  });

  it('feed reports lists runs, newest first, and the rows of one', async () => {
    await forecourt(['feed', 'import', await fileOf('bad.csv', csvOf(BAD)), ...into], env);
    const { stdout } = await forecourt(['feed', 'reports', ...into, '--json'], env);
    const runs = JSON.parse(stdout) as { runId: string; state: string }[];
    expect(runs.map((run) => run.state)).toEqual(['published', 'superseded', 'published']);
    const rows = await forecourt(
      ['feed', 'reports', '--organization', DEMO_ORGANIZATION, '--run', runs[0]?.runId ?? ''],
      env,
    );
    expect(rows).toMatchObject({
      code: EXIT.done,
      output: expect.stringMatching(/20 +\d+ +quarantined +year_\w+ +Year/),
    });
    for (const wrong of [[], ['--feed', 'a', '--run', 'b']]) {
      expect((await forecourt(['feed', 'reports', '--organization', DEMO_ORGANIZATION, ...wrong], env)).code).toBe(
        EXIT.usage,
      );
    }
  });

  it('grant create lets an agent in on the running service, and grant revoke ends it', async () => {
    const grant = ['grant', 'create', '--organization', DEMO_ORGANIZATION, '--subject', 'agent:buyer-assistant'];
    const rooftop = [...grant, '--rooftop', 'roof.downtown', '--expires-in-days', '3', '--json'];
    const { code, stdout } = await forecourt(rooftop, env);
    expect(code).toBe(EXIT.done);
    const { token, grant_id } = JSON.parse(stdout) as { token: string; grant_id: string };
    const ask = () =>
      callTool(`${service.origin}/mcp`, 'dealeragent.dealer.get', {}, { authorization: `Bearer ${token}` });
    expect((await ask()).status).toBe(200);
    const revoke = ['grant', 'revoke', '--organization', DEMO_ORGANIZATION, '--grant'];
    expect((await forecourt([...revoke, grant_id], env)).code).toBe(EXIT.done);
    await expect.poll(async () => (await ask()).status, { timeout: withRoom(2000), interval: 100 }).toBe(401);
    expect((await forecourt([...revoke, 'grant.none'], env)).code).toBe(EXIT.usage);
    for (const wrong of [
      ['--scope', 'all'],
      ['--delegation', 'dlg.none'],
      ['--expires-in-days', '0'],
    ])
      expect((await forecourt([...rooftop, ...wrong], env)).code).toBe(EXIT.usage);
  }, 120_000);

  it('key create prints a key that works, once', async () => {
    const args = ['key', 'create', '--organization', DEMO_ORGANIZATION, '--name', 'Sam', '--role', 'admin'];
    const { code, output } = await forecourt([...args, '--expires-in-days', '3'], env);
    const token = output.split('\n', 1)[0] ?? '';
    expect({ code, token }).toEqual({ code: EXIT.done, token: expect.stringMatching(/^fck_/) });
    expect((await callAdmin(service, `Bearer ${token}`, 'GET', 'feeds')).status).toBe(200);
    for (const days of ['0', '1.5', 'soon'])
      expect((await forecourt([...args, `--expires-in-days=${days}`], env)).code).toBe(EXIT.usage);
  });

  it('migrate finds nothing to do', async () => {
    const { code, stdout } = await forecourt(['migrate', '--json'], env);
    expect({ code, output: JSON.parse(stdout) as object }).toEqual({
      code: EXIT.done,
      output: { up_to_date: true, log: [] },
    });
  });

  it('end with 3 when the database cannot be reached, without its password', async () => {
    const away = {
      ...env,
      DATABASE_URL: `postgres://u:hidden-word@127.0.0.1:${await freePort()}/d`,
      MIGRATION_DATABASE_URL: '',
    };
    const { code, output } = await forecourt(['feed', 'reports', ...into], away);
    expect(code).toBe(EXIT.failed);
    expect(output).not.toContain('hidden-word');
  });
});

describe('Commands beside a running service with the local database', () => {
  it('work on its database while it runs, and on the same data after it ended', async () => {
    const dataDir = join(dir, 'data');
    const env = { FORECOURT_PROFILE: 'local', DATA_DIR: dataDir };
    const service = new ChildService([compiled.main, 'all'], {
      ...env,
      FORECOURT_DEMO: 'on',
      PORT: String(await freePort()),
    });
    const list = ['feed', 'reports', '--organization', DEMO_ORGANIZATION, '--feed', 'feed.roof.downtown', '--json'];
    try {
      await service.until('Forecourt is ready.');
      expect(JSON.parse((await forecourt(list, env)).stdout)).toMatchObject([{ state: 'published' }]);
      expect(await forecourt(['migrate'], env)).toMatchObject({
        code: EXIT.done,
        output: expect.stringContaining('the database is up to date'),
      });
    } finally {
      expect(await service.stop()).toEqual({ code: 0, signal: null });
    }
    const after = await forecourt(list, env);
    expect({ code: after.code, runs: JSON.parse(after.stdout) as unknown[] }).toMatchObject({
      code: EXIT.done,
      runs: [{ state: 'published' }],
    });
  });
});
