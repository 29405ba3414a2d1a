import type { KeyObject } from 'node:crypto';
import type { Clock } from '../../../../kernel/time.js';
import { parseAddCheckpoint } from '../../domain/log/add-checkpoint.js';
import { type Checkpoint, openCheckpoint, parseCheckpoint } from '../../domain/log/checkpoint.js';
import { cosign } from '../../domain/log/cosignature.js';
import { isConsistent } from '../../domain/log/merkle-proof.js';
import { type NoteKey, parseNote } from '../../domain/log/signed-note.js';

/** Port: the newest state of each log that the witness signed. */
export interface WitnessState {
  /** The newest cosigned note of a log. @throws Error when there is one and it cannot be read: then nothing is signed. */
  load(origin: string): Promise<string | undefined>;
  /** Resolves when the note is on the disk and replaces the one before. */
  save(origin: string, note: string): Promise<void>;
  /** Keeps a state that was refused beside it, as evidence: the first one of a log. */
  keepRefused(origin: string, note: string): Promise<void>;
}

/** An answer as C2SP tlog-witness has it. */
export interface WitnessAnswer {
  readonly status: 200 | 400 | 403 | 404 | 409 | 422;
  /** 200: the cosignature line. 409: the size that the witness has. Else empty. */
  readonly body: string;
}

export interface WitnessOptions {
  readonly key: NoteKey;
  readonly privateKey: KeyObject;
  /** Keys of the log: the one in use, and those before it. */
  readonly logKeys: readonly KeyObject[];
  /** Logs that it watches. Absent: every log that one of the keys signs for. */
  readonly origins?: readonly string[];
  readonly clock: Clock;
  /** Told once for each state that was signed before: the log that it watches shows another history. */
  readonly alarm?: (line: string) => void;
}

/**
 * A witness: signs a state of a log when it is signed by the log and begins with everything that the witness signed before,
 * so that nobody, the log's owner with all keys included, can show two histories that it signed. What it signs is on the disk
 * before anybody sees the signature; one request of a log waits for the one before.
 */
export class Witness {
  private readonly waiting = new Map<string, Promise<unknown>>();
  /** Size up to which an alarm was raised, by log. */
  private readonly alarmed = new Map<string, number>();

  constructor(
    private readonly state: WitnessState,
    private readonly options: WitnessOptions,
  ) {}

  /** @param body of an `add-checkpoint` request. @throws Error when the state cannot be read or kept: nothing was signed. */
  async addCheckpoint(body: string): Promise<WitnessAnswer> {
    const request = parseAddCheckpoint(body);
    const text = request === undefined ? undefined : parseNote(request.note)?.text;
    const named = text === undefined ? undefined : parseCheckpoint(text);
    if (request === undefined || text === undefined || named === undefined) return refused(400);
    const { origins, logKeys } = this.options;
    if (origins !== undefined && !origins.includes(named.origin)) return refused(404);
    const checkpoint = openCheckpoint(request.note, named.origin, logKeys);
    if (checkpoint === undefined) return refused(403);
    if (request.oldSize > checkpoint.size) return refused(400);
    return this.alone(checkpoint.origin, () => this.judge(checkpoint, text, request));
  }

  private async judge(
    checkpoint: Checkpoint,
    text: string,
    { oldSize, proof, note }: { oldSize: number; proof: readonly Uint8Array[]; note: string },
  ): Promise<WitnessAnswer> {
    const kept = await this.newest(checkpoint.origin);
    if (kept?.size === checkpoint.size && Buffer.compare(kept.root, checkpoint.root) !== 0) {
      await this.refuse(kept, note, `its key signed another log of the same ${kept.size} rows`);
      return { status: 409, body: `${kept.size}\n` };
    }
    if (oldSize !== (kept?.size ?? 0)) return { status: 409, body: `${kept?.size ?? 0}\n` };
    const follows =
      kept === undefined
        ? proof.length === 0
        : isConsistent(kept.size, checkpoint.size, proof, kept.root, checkpoint.root);
    if (!follows) {
      if (kept !== undefined)
        await this.refuse(kept, note, `nothing shows that its ${checkpoint.size} rows begin with these ${kept.size}`);
      return refused(422);
    }
    const { key, privateKey, clock } = this.options;
    const line = cosign(text, Math.floor(clock.now() / 1000), key, privateKey);
    await this.state.save(checkpoint.origin, note + line);
    return { status: 200, body: line };
  }

  /** The group hears it from its own machine: who runs the log may not want to say so. */
  private async refuse({ origin, size }: Checkpoint, note: string, why: string): Promise<void> {
    if (this.alarmed.get(origin) !== size)
      this.options.alarm?.(
        `ALARM ${origin} is not what was signed here: ${why}. Nothing was signed, and what it showed is kept.`,
      );
    this.alarmed.set(origin, size);
    await this.state.keepRefused(origin, note);
  }

  /** What was signed is believed for its own sake: the log's key may have been replaced since. */
  private async newest(origin: string): Promise<Checkpoint | undefined> {
    const note = await this.state.load(origin);
    if (note === undefined) return undefined;
    const checkpoint = parseCheckpoint(parseNote(note)?.text ?? '');
    if (checkpoint?.origin !== origin) throw new Error(`the state of ${origin} cannot be read`);
    return checkpoint;
  }

  private async alone<T>(origin: string, work: () => Promise<T>): Promise<T> {
    const before = this.waiting.get(origin) ?? Promise.resolve();
    const result = before.then(work, work);
    this.waiting.set(origin, result);
    try {
      return await result;
    } finally {
      if (this.waiting.get(origin) === result) this.waiting.delete(origin);
    }
  }
}

const refused = (status: 400 | 403 | 404 | 422): WitnessAnswer => ({ status, body: '' });
