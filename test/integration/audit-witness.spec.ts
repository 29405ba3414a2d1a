import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCheckpoint } from '../../src/modules/audit/domain/log/checkpoint.js';
import { cosignedAt } from '../../src/modules/audit/domain/log/cosignature.js';
import { consistencyProof } from '../../src/modules/audit/domain/log/merkle-proof.js';
import { type NoteKey, parseNote, parseVerifierKey } from '../../src/modules/audit/domain/log/signed-note.js';
import { ChildService, freePort, runToEnd } from '../support/child-service.js';
import { type CompiledService, compileService } from '../support/compiled-service.js';
import { GrowingLog, isPrefix, logKeys } from '../support/growing-log.js';

let compiled: CompiledService;
let folder: string;
let logKey: string;

beforeAll(async () => {
  compiled = await compileService();
  folder = await mkdtemp(join(tmpdir(), 'witness-'));
  logKey = join(folder, 'log.pem');
  await writeFile(logKey, logKeys.publicKey.export({ type: 'spki', format: 'pem' }));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await compiled.remove();
});

/** The witness as a dealer group runs it: a process of its own, without settings, without a database. */
class RunningWitness {
  private constructor(
    readonly child: ChildService,
    readonly url: string,
    readonly key: NoteKey,
  ) {}

  static async start(name: string, port: number): Promise<RunningWitness> {
    const args = ['audit', 'witness', '--key', join(folder, `${name}.key`), '--state', join(folder, name)];
    const child = new ChildService(
      [compiled.command, ...args, '--log-key', logKey, '--name', 'witness.group', '--listen', `127.0.0.1:${port}`],
      {},
    );
    await child.until('listening on');
    const [, line = ''] = /witness key: (\S+)/.exec(child.output) ?? [];
    return new RunningWitness(child, `http://127.0.0.1:${port}`, parseVerifierKey(line)!);
  }

  /** @returns undefined when the process died before it answered. */
  async ask(body: string): Promise<{ status: number; body: string; type: string | null } | undefined> {
    try {
      const answer = await fetch(`${this.url}/add-checkpoint`, { method: 'POST', body });
      return { status: answer.status, body: await answer.text(), type: answer.headers.get('content-type') };
    } catch {
      return undefined;
    }
  }
}

const words = (name: string): string[] => Array.from({ length: 400 }, (_, i) => `${name} ${i}`);
const history = GrowingLog.of(words('record'));

async function keptIn(name: string): Promise<string | undefined> {
  const files = (await readdir(join(folder, name))).filter((file) => file.endsWith('.note'));
  return files[0] === undefined ? undefined : readFile(join(folder, name, files[0]), 'utf8');
}

describe('the witness as a process', () => {
  it('cosigns over HTTP, answers a wrong size with its own, and refuses a fork', async () => {
    const witness = await RunningWitness.start('plain', await freePort());
    try {
      const first = await witness.ask(await history.request(0, 30));
      expect(first?.status).toBe(200);
      expect(cosignedAt((await history.note(30)) + first!.body, witness.key)).toBeGreaterThan(1_700_000_000);
      expect(await witness.ask(await history.request(7, 90))).toEqual({
        status: 409,
        body: '30\n',
        type: 'text/x.tlog.size',
      });
      expect((await witness.ask(await history.fork(10, words('other')).request(30, 60)))?.status).toBe(422);
      expect((await witness.ask(await history.request(30, 90)))?.status).toBe(200);
      expect((await witness.ask('x'.repeat(100_000)))?.status).toBe(413);
      expect((await fetch(`${witness.url}/anything`)).status).toBe(404);
    } finally {
      expect(await witness.child.stop()).toMatchObject({ code: 0 });
    }
  });

  it('does not share its state with a second process', async () => {
    const witness = await RunningWitness.start('alone', await freePort());
    try {
      const args = ['--key', join(folder, 'alone.key'), '--state', join(folder, 'alone'), '--log-key', logKey];
      const second = await runToEnd([compiled.command, 'audit', 'witness', ...args, '--listen', '127.0.0.1:0'], {});
      expect(second.code).toBe(3);
      expect(second.output).toContain('already runs on');
    } finally {
      await witness.child.stop();
    }
  });

  it('killed at any moment, it never cosigned two histories, and has what it cosigned', async () => {
    const port = await freePort();
    const branches = [history, history.fork(40, words('b')), history.fork(150, words('c'))];
    const cosigned: (readonly Buffer[])[] = [];
    let [size, cut] = [0, 0];
    for (let round = 0; round < 6; round++) {
      const witness = await RunningWitness.start('killed', port);
      const kept = await keptIn('killed');
      size = kept === undefined ? 0 : parseCheckpoint(parseNote(kept)!.text)!.size;
      const longest = cosigned.reduce((most, leaves) => Math.max(most, leaves.length), 0);
      expect(size, 'what was answered was on the disk').toBeGreaterThanOrEqual(longest);
      for (let turn = 0; turn <= round; turn++) {
        // Whoever holds the log's key shows the same witness two continuations at the same time.
        const next = size + 1 + (turn % 3);
        const asked = [branches[0]!, branches[1 + (round % 2)]!];
        const pending = asked.map(async (log) => witness.ask(await log.request(size, next)));
        if (turn === round) setTimeout(() => witness.child.kill('SIGKILL'), round * 2);
        const answers = await Promise.all(pending);
        if (answers.includes(undefined)) cut++;
        answers.forEach((answer, i) => {
          if (answer?.status === 200) cosigned.push(asked[i]!.leaves.slice(0, next));
        });
        const ahead = answers.find((answer) => answer?.status === 409)?.body;
        size = ahead === undefined ? size : Number(ahead);
      }
      await witness.child.ended;
    }
    expect(cosigned.length).toBeGreaterThan(8);
    expect(cut).toBeGreaterThan(0);
    const bySize = cosigned.toSorted((a, b) => a.length - b.length);
    bySize.slice(1).forEach((longer, i) => expect(isPrefix(bySize[i]!, longer)).toBe(true));
  });
});

describe('audit consistency', () => {
  it('holds one kept note against the other, offline', async () => {
    const at = async (log: GrowingLog, size: number, name: string): Promise<string> => {
      const file = join(folder, name);
      await writeFile(file, await log.note(size));
      return file;
    };
    const [monday, tuesday] = [await at(history, 100, 'monday'), await at(history, 300, 'tuesday')];
    const forked = await at(history.fork(50, words('other')), 300, 'forked');
    const proof = join(folder, 'proof.json');
    const path = await consistencyProof(100, 300, history.at);
    const hashes = path.map((hash) => Buffer.from(hash).toString('base64'));
    await writeFile(proof, JSON.stringify({ data: { from: 100, to: 300, consistency_path: hashes }, error: null }));
    const check = (newer: string, ...more: string[]): ReturnType<typeof runToEnd> =>
      runToEnd([compiled.command, 'audit', 'consistency', monday, newer, '--key', logKey, ...more], {});
    const right = await check(tuesday, '--proof', proof);
    expect([right.code, right.output]).toEqual([0, 'consistent: the log of 300 rows begins with the log of 100\n']);
    expect((await check(forked, '--proof', proof)).code).toBe(1);
    expect((await check(tuesday)).code).toBe(1);
    expect((await check(monday)).code).toBe(0);
  });
});
