import { Failure } from '../../../kernel/failure/failure.js';
import type { Checkpoint } from '../domain/log/checkpoint.js';
import { CompactRange } from '../domain/log/compact-range.js';
import { cosignedAt } from '../domain/log/cosignature.js';
import { HASH_BYTES } from '../domain/log/hashes.js';
import { subtreesOf } from '../domain/log/subtrees.js';
import { HashesLack, subtreeRootsFrom, TILE_WIDTH } from '../domain/log/tiles.js';
import type { AuditLogReader, LogStretch, NumberedLeaf, StoredNote, VaultedEntry } from './audit-log-reader.js';
import { RecordedErasures } from './verify-erasures.js';
import { VaultChecks } from './verify-vault.js';
import { Findings } from './verify-findings.js';
import { type Part, readAhead, ROWS_AT_ONCE } from './read-ahead.js';
import { RowChecks } from './verify-rows.js';
import type { PrunedPart, Verification, VerifyOptions, VerifyScope } from './verification.js';
import { LogWalk, type OpenedNote } from './verify-walk.js';

/** One verification of one log. */
export class Verifying {
  private readonly findings = new Findings();
  private kept: readonly OpenedNote[] = [];
  private readonly at: (level: number, index: number) => Promise<Uint8Array>;
  private rows = 0;
  private redacted = 0;
  private vaulted = 0;

  constructor(
    private readonly reader: AuditLogReader,
    private readonly organizationId: string,
    private readonly open: (note: string) => Checkpoint | undefined,
    private readonly options: VerifyOptions,
  ) {
    this.at = subtreeRootsFrom((level, start, count) => reader.hashes(organizationId, level, start, count));
  }

  async run(): Promise<Verification> {
    const { reader, organizationId, findings } = this;
    const scope = this.options.scope ?? { kind: 'whole' };
    this.kept = await this.keptNotes();
    const newest = await reader.newestNote(organizationId);
    const erasures = new RecordedErasures(reader, organizationId, newest && this.opened(newest));
    const pruned = await this.pruned(erasures);
    const size = await reader.size(organizationId);
    const vault = new VaultChecks(reader, organizationId, this.at, findings);
    const held =
      scope.kind === 'record' && pruned !== undefined
        ? await reader.vaultedOf(organizationId, scope.eventId)
        : undefined;
    if (held !== undefined && pruned !== undefined) return this.verifyHeld(held, vault, pruned, size, newest);
    const part = await this.partOf(scope, { from: pruned?.minIndex ?? 0, to: size });
    const walk = new LogWalk(await this.before(part.from), findings);
    for (const note of this.kept.filter((note) => note.size === 0)) walk.compare(note);
    if (scope.kind === 'tiles') await this.walk(walk, part, (...at) => reader.leaves(organizationId, ...at));
    else await this.walkRows(walk, part, erasures);
    if (scope.kind === 'whole' || scope.kind === 'tiles') await this.end(walk, part.from, newest);
    else await this.close(walk, size, newest);
    if (scope.kind === 'whole') await this.findUnnumbered(size);
    if (scope.kind === 'whole' && pruned !== undefined) this.vaulted = await vault.whole(pruned.minIndex);
    return this.verdict(walk, pruned, size);
  }

  /** A held record of the pruned part: against the tiles that stay, and these against the newest note and every kept one. */
  private async verifyHeld(
    held: VaultedEntry,
    vault: VaultChecks,
    pruned: PrunedPart,
    size: number,
    newest: StoredNote | undefined,
  ): Promise<Verification> {
    await vault.one(held);
    this.vaulted = 1;
    const walk = new LogWalk(await this.before(pruned.minIndex), this.findings);
    await this.close(walk, size, newest);
    return this.verdict(walk, pruned, size);
  }

  /** Notes that were kept outside, and those that came back from witnesses with their signature and are still there. */
  private async keptNotes(): Promise<readonly OpenedNote[]> {
    const { kept = [], witnesses = [] } = this.options;
    const isCosigned = (note: string): boolean =>
      witnesses.length === 0 || witnesses.some((witness) => cosignedAt(note, witness) !== undefined);
    const cosigned = (await this.reader.cosignedNotes(this.organizationId)).filter(isCosigned);
    return [...kept, ...cosigned]
      .map((note) => {
        const checkpoint = isCosigned(note) ? this.open(note) : undefined;
        return { size: checkpoint?.size ?? 0, checkpoint };
      })
      .toSorted((a, b) => a.size - b.size);
  }

  private verdict(walk: LogWalk, pruned: PrunedPart | undefined, size: number): Verification {
    const { organizationId, rows, redacted, findings } = this;
    const sound = pruned === undefined ? 'intact' : 'pruned';
    return {
      organizationId,
      result: findings.list.length === 0 ? sound : 'tampered',
      rows,
      checkpoints: walk.sound,
      uncovered: Math.max(0, size - Math.max(walk.soundSize, pruned?.minIndex ?? 0)),
      redacted,
      ...(pruned === undefined ? {} : { pruned }),
      ...(this.vaulted === 0 ? {} : { vaulted: this.vaulted }),
      findings: findings.list,
    };
  }

  /** The pruning that is in force, when the log itself says so and what is left of the tree has its root. */
  private async pruned(erasures: RecordedErasures): Promise<PrunedPart | undefined> {
    const pruning = await this.reader.pruning(this.organizationId);
    if (pruning === undefined) return undefined;
    const { minIndex, policy, runId } = pruning;
    const root = await this.rangeOf(minIndex)
      .then((range) => range.root())
      .catch(unlessHashesLack);
    const sameRoot = root !== undefined && Buffer.compare(root, pruning.root) === 0;
    const recorded = await erasures.isRecordedPruning(pruning);
    if (!sameRoot) this.findings.add('pruning_differs', 0, minIndex - 1);
    if (!recorded) this.findings.add('pruning_unrecorded', 0, minIndex - 1);
    return sameRoot && recorded ? { minIndex, policy, runId } : undefined;
  }

  /** The rows to read, from a tile's first to a tile's last, inside of what should be there. */
  private async partOf(scope: VerifyScope, there: Part): Promise<Part> {
    if (scope.kind === 'whole' || scope.kind === 'tiles') return there;
    const wanted = await this.wanted(scope);
    if (wanted === undefined || wanted.from >= wanted.to || wanted.to > there.to || wanted.from < 0)
      throw new Failure('resource.not_found', { reason: 'not_found' });
    const from = Math.floor(wanted.from / TILE_WIDTH) * TILE_WIDTH;
    const to = Math.min(Math.ceil(wanted.to / TILE_WIDTH) * TILE_WIDTH, there.to);
    return { from: Math.max(from, there.from), to };
  }

  private async wanted(scope: VerifyScope): Promise<Part | undefined> {
    if (scope.kind === 'rows') return scope;
    if (scope.kind === 'period') return this.reader.rowsOf(this.organizationId, scope.from, scope.to);
    if (scope.kind !== 'record') return undefined;
    const entry = await this.reader.entryOf(this.organizationId, scope.eventId);
    return entry && { from: entry.seq, to: entry.seq + 1 };
  }

  private async walkRows(walk: LogWalk, part: Part, erasures: RecordedErasures): Promise<void> {
    const checks = new RowChecks(this.reader, this.organizationId, this.findings);
    await this.walk(
      walk,
      part,
      (seq, limit) => this.reader.sketches(this.organizationId, seq, limit),
      async ({ entries }) => {
        const { leaves, erased } = await checks.run(entries);
        const unrecorded = await erasures.unrecorded(erased);
        for (const { seq } of unrecorded) this.findings.add('value_erased', seq, seq);
        this.redacted += erased.length - unrecorded.length;
        return leaves;
      },
    );
  }

  private async walk<Entry extends NumberedLeaf>(
    walk: LogWalk,
    part: Part,
    read: (seq: number, limit: number) => Promise<LogStretch<Entry>>,
    leavesOf: (stretch: LogStretch<Entry>) => Promise<readonly Buffer[]> = ({ entries }) =>
      Promise.resolve(entries.map(({ leafHash }) => leafHash)),
  ): Promise<void> {
    for await (const { from, to, found } of readAhead(part, read)) {
      const leaves = await leavesOf(found);
      walk.expect(found.tiles, this.notesBetween(found.notes, from, to));
      found.entries.forEach(({ seq }, i) => {
        walk.take(seq, leaves[i] as Buffer);
      });
      this.rows += found.entries.length;
      this.options.progress?.(this.rows);
    }
  }

  /** After the whole log: what signed notes say of rows that are not there, and of rows before a pruning. */
  private async end(walk: LogWalk, from: number, newest: StoredNote | undefined): Promise<void> {
    for (const note of this.kept) if (note.size > 0 && note.size <= from) await this.compareEarlier(walk, note);
    for (let size = 1; size <= from; size += ROWS_AT_ONCE)
      for (const note of await this.reader.notes(this.organizationId, size, Math.min(size + ROWS_AT_ONCE - 1, from)))
        await this.compareEarlier(walk, this.opened(note));
    const longest = Math.max(newest?.size ?? 0, this.kept.at(-1)?.size ?? 0);
    if (longest > walk.range.size) this.findings.add('tail_missing', walk.range.size, longest - 1);
  }

  /** A state before a pruning: its root can be told at the edge of a tile. Its signature is checked in any case. */
  private async compareEarlier(walk: LogWalk, note: OpenedNote): Promise<void> {
    if (note.checkpoint === undefined || note.size % TILE_WIDTH === 0)
      walk.compare(note, (await this.rangeOf(note.size - (note.size % TILE_WIDTH))).root());
  }

  /** After a part: the tree is closed with the tiles behind it, up to the newest note and every kept one. */
  private async close(walk: LogWalk, size: number, newest: StoredNote | undefined): Promise<void> {
    const end = walk.range.size;
    const behind = [...this.kept, ...(newest === undefined ? [] : [this.opened(newest)])].filter((n) => n.size > end);
    for (const note of behind) {
      if (note.size > size) this.findings.add('tail_missing', size, note.size - 1);
      else {
        const root = await this.rootAt(walk.range, note.size).catch(unlessHashesLack);
        if (root === undefined) this.findings.add('tile_differs', end, note.size - 1);
        else walk.compare(note, root);
      }
    }
  }

  private async rootAt(from: CompactRange, size: number): Promise<Uint8Array> {
    const range = from.copy();
    for (const { level, index } of subtreesOf(from.size, size)) range.appendSubtree(level, await this.at(level, index));
    return range.root();
  }

  private async findUnnumbered(size: number): Promise<void> {
    const unnumbered = await this.reader.unnumbered(this.organizationId);
    if (unnumbered.length > 0) this.findings.add('record_unnumbered', size, size + unnumbered.length - 1);
  }

  /** The tree before a row, from the tiles; where they are gone, it goes on without them and no root can agree any more. */
  private async before(row: number): Promise<CompactRange> {
    const range = await this.rangeOf(row).catch(unlessHashesLack);
    if (range !== undefined) return range;
    this.findings.add('tile_differs', 0, row - 1);
    return CompactRange.of(row, () => Promise.resolve(Buffer.alloc(HASH_BYTES)));
  }

  private rangeOf(size: number): Promise<CompactRange> {
    return CompactRange.of(size, this.at);
  }

  private notesBetween(stored: readonly StoredNote[], from: number, to: number): readonly OpenedNote[] {
    const kept = this.kept.filter(({ size }) => size > from && size <= to);
    return [...stored.map((note) => this.opened(note)), ...kept].toSorted((a, b) => a.size - b.size);
  }

  private opened({ size, note }: StoredNote): OpenedNote {
    const checkpoint = this.open(note);
    return { size, checkpoint: checkpoint?.size === size ? checkpoint : undefined };
  }
}

/** @throws Error as it is for every other reason. */
function unlessHashesLack(error: unknown): undefined {
  if (error instanceof HashesLack) return undefined;
  throw error;
}
