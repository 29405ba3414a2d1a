import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GrowingLog, isPrefix, LOG_ORIGIN, logKeys } from '../../../../../test/support/growing-log.js';
import { addCheckpointBody } from '../../domain/log/add-checkpoint.js';
import { parseCheckpoint } from '../../domain/log/checkpoint.js';
import { cosignedAt } from '../../domain/log/cosignature.js';
import { parseNote } from '../../domain/log/signed-note.js';
import type { WitnessAnswer, WitnessState } from './witness.js';
import { Witness } from './witness.js';

const key = { name: 'witness.group', kind: 'cosignature', ...generateKeyPairSync('ed25519') } as const;
const SECONDS = 1_764_500_000;

/** A disk that keeps what was written, and a process that can die before or after it was. */
class Disk implements WitnessState {
  readonly files = new Map<string, string>();
  readonly refused = new Map<string, string>();
  dies: 'never' | 'before' | 'after' = 'never';

  load(origin: string): Promise<string | undefined> {
    return Promise.resolve(this.files.get(origin));
  }

  save(origin: string, note: string): Promise<void> {
    const { dies } = this;
    this.dies = 'never';
    if (dies === 'before') return Promise.reject(new Error('killed'));
    this.files.set(origin, note);
    return dies === 'after' ? Promise.reject(new Error('killed')) : Promise.resolve();
  }

  keepRefused(origin: string, note: string): Promise<void> {
    if (!this.refused.has(origin)) this.refused.set(origin, note);
    return Promise.resolve();
  }
}

const witnessOn = (state: WitnessState, alarm: (line: string) => void = () => undefined): Witness =>
  new Witness(state, {
    alarm,
    key,
    privateKey: key.privateKey,
    logKeys: [logKeys.publicKey],
    clock: { now: () => SECONDS * 1000 },
  });

const history = GrowingLog.of(Array.from({ length: 12 }, (_, i) => `record ${i}`));

describe('a witness', () => {
  it('cosigns a log from its first state on, and each later one', async () => {
    const witness = witnessOn(new Disk());
    for (const [old, size] of [
      [0, 3],
      [3, 3],
      [3, 8],
      [8, 12],
    ] as const) {
      const answer = await witness.addCheckpoint(await history.request(old, size));
      expect(answer.status).toBe(200);
      expect(cosignedAt((await history.note(size)) + answer.body, key)).toBe(SECONDS);
    }
  });

  it('says what it has when the log believes something else', async () => {
    const witness = witnessOn(new Disk());
    expect(await witness.addCheckpoint(await history.request(3, 8))).toEqual({ status: 409, body: '0\n' });
    await witness.addCheckpoint(await history.request(0, 8));
    expect(await witness.addCheckpoint(await history.request(3, 12))).toEqual({ status: 409, body: '8\n' });
    expect(await witness.addCheckpoint(await history.request(0, 5))).toEqual({ status: 409, body: '8\n' });
  });

  it('refuses a fork, a history of the same size and a rollback', async () => {
    const disk = new Disk();
    const witness = witnessOn(disk);
    await witness.addCheckpoint(await history.request(0, 8));
    const kept = disk.files.get(LOG_ORIGIN);
    const fork = history.fork(5, ['other', 'words', 'here', 'and', 'there']);
    const statuses: number[] = [];
    for (const request of [fork.request(8, 10), fork.request(8, 8), fork.request(5, 5)])
      statuses.push((await witness.addCheckpoint(await request)).status);
    expect(statuses).toEqual([422, 409, 409]);
    expect(disk.files.get(LOG_ORIGIN)).toBe(kept);
  });

  it('says so to who runs it when it is shown another history, once for what it signed, and keeps what it was shown', async () => {
    const fork = history.fork(5, ['other', 'words', 'here', 'and', 'there']);
    for (const [shown, says] of [
      [10, 'nothing shows that its 10 rows begin with these 8'],
      [8, 'another log of the same 8 rows'],
    ] as const) {
      const [disk, alarms] = [new Disk(), [] as string[]];
      const witness = witnessOn(disk, (line) => alarms.push(line));
      await witness.addCheckpoint(await history.request(0, 3));
      await witness.addCheckpoint(await history.request(3, 8));
      await witness.addCheckpoint(await history.request(5, 12)); // asked from another place: no reason yet
      await witness.addCheckpoint(await history.request(5, 5));
      expect(alarms).toEqual([]);
      for (let i = 0; i < 3; i++) await witness.addCheckpoint(await fork.request(8, shown));
      expect(alarms).toEqual([expect.stringContaining(says)]);
      expect(alarms[0]).toContain(LOG_ORIGIN);
      expect(disk.refused.get(LOG_ORIGIN)).toBe(await fork.note(shown));
    }
  });

  it('raises no alarm over a log that it has not seen before, or that it does not know', async () => {
    const alarms: string[] = [];
    const witness = witnessOn(new Disk(), (line) => alarms.push(line));
    const proved = addCheckpointBody({ oldSize: 0, proof: [Buffer.alloc(32)], note: await history.note(3) });
    expect((await witness.addCheckpoint(proved)).status).toBe(422);
    await witness.addCheckpoint(await history.request(0, 3));
    const stranger = await history.note(8, generateKeyPairSync('ed25519'));
    await witness.addCheckpoint(addCheckpointBody({ oldSize: 3, proof: [], note: stranger }));
    expect(alarms).toEqual([]);
  });

  it('refuses what is no request, another log, and a signature that it does not know', async () => {
    const witness = new Witness(new Disk(), {
      key,
      privateKey: key.privateKey,
      logKeys: [logKeys.publicKey],
      origins: [LOG_ORIGIN],
      clock: { now: () => 0 },
    });
    const stranger = addCheckpointBody({
      oldSize: 0,
      proof: [],
      note: await history.note(3, generateKeyPairSync('ed25519')),
    });
    const elsewhere = (await history.request(0, 3)).replace(LOG_ORIGIN, 'gateway.other/audit/org.a');
    const backwards = addCheckpointBody({ oldSize: 9, proof: [], note: await history.note(3) });
    const statuses: number[] = [];
    for (const body of ['', 'old 0\n\n', 'old -1\n\nx', elsewhere, stranger, backwards])
      statuses.push((await witness.addCheckpoint(body)).status);
    expect(statuses).toEqual([400, 400, 400, 404, 403, 400]);
  });

  it('signs nothing when its state cannot be read', async () => {
    const disk = new Disk();
    disk.files.set(LOG_ORIGIN, 'damaged');
    await expect(witnessOn(disk).addCheckpoint(await history.request(0, 3))).rejects.toThrow('cannot be read');
  });
});

/** One step of somebody who has every key of the log. */
interface Step {
  readonly branch: number;
  readonly old: number;
  readonly size: number;
  readonly dies: Disk['dies'];
  readonly asks: 'as believed' | 'as told';
}

const steps = fc.array(
  fc.record<Step>({
    branch: fc.nat({ max: 2 }),
    old: fc.nat({ max: 20 }),
    size: fc.integer({ min: 1, max: 20 }),
    dies: fc.constantFrom('never', 'never', 'never', 'before', 'after'),
    asks: fc.constantFrom('as believed', 'as told'),
  }),
  { minLength: 1, maxLength: 12 },
);

describe('histories that fork, roll back and come twice at once, and a process that dies', () => {
  it('never get two inconsistent states cosigned', async () => {
    let signed = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 19 }), fc.nat({ max: 19 }), steps, async (first, second, program) => {
        const words = (name: string): string[] => Array.from({ length: 20 }, (_, i) => `${name} ${i}`);
        const main = GrowingLog.of(words('main'));
        const branches = [main, main.fork(first, words('b')), main.fork(second, words('c'))];
        const disk = new Disk();
        let witness = witnessOn(disk);
        const cosigned: (readonly Buffer[])[] = [];
        for (const { branch, old, size, dies, asks } of program) {
          const log = branches[branch]!;
          const before = asks === 'as told' ? sizeOn(disk) : old;
          disk.dies = dies;
          const requests = [log.request(before, size), branches[(branch + 1) % 3]!.request(before, size)];
          const answers = await Promise.all(requests.map(async (body) => ask(witness, await body)));
          if (dies !== 'never') witness = witnessOn(disk); // what the process knew is gone
          answers.forEach((answer, i) => {
            const asked = branches[(branch + i) % 3]!;
            if (answer?.status === 200) cosigned.push(asked.leaves.slice(0, size));
          });
        }
        signed += cosigned.length;
        const bySize = cosigned.toSorted((a, b) => a.length - b.length);
        bySize.forEach((shorter, i) => {
          for (const longer of bySize.slice(i + 1)) if (!isPrefix(shorter, longer)) throw new Error('two histories');
        });
      }),
      { numRuns: 250 },
    );
    expect(signed).toBeGreaterThan(100);
  });
});

async function ask(witness: Witness, body: string): Promise<WitnessAnswer | undefined> {
  return witness.addCheckpoint(body).catch(() => undefined);
}

function sizeOn(disk: Disk): number {
  const note = disk.files.get(LOG_ORIGIN);
  return note === undefined ? 0 : parseCheckpoint(parseNote(note)!.text)!.size;
}
