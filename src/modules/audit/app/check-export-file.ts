import type { KeyObject } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { ExportGap, ExportHeldRow, ExportRow } from '../domain/audit-export.js';
import { ExportChecker } from '../domain/audit-export.js';
import { openCheckpoint } from '../domain/log/checkpoint.js';
import { PRUNED_OPERATION } from '../domain/pruning.js';
import { decodeCanonical } from '../domain/stored-record.js';

/** What an export is worth. */
export interface ExportCheck {
  readonly result: 'intact' | 'tampered';
  /** Rows that were read. */
  readonly rows: number;
  /** Held records of a pruned part that were read and lead into the signed tree. */
  readonly held: number;
  readonly problem?: string;
  /** What the rows themselves say of prunings of the log: rows, run and policy, as the record names them. */
  readonly prunings: readonly (readonly string[])[];
}

/**
 * Checks an export line by line with nothing but public keys: the rows, their values, and the root that a key signed. Memory
 * is flat.
 */
export async function checkExportFile(
  file: NodeJS.ReadableStream,
  publicKeys: readonly KeyObject[],
): Promise<ExportCheck> {
  let checker: ExportChecker | undefined;
  let [rows, held] = [0, 0];
  let problem: string | undefined;
  const prunings: (readonly string[])[] = [];
  for await (const line of createInterface({ input: file, crlfDelay: Infinity })) {
    const value = parsed(line);
    if (checker === undefined) {
      const begun = ExportChecker.begin(value, (note, origin) => openCheckpoint(note, origin, publicKeys));
      if (typeof begun === 'string') problem = begun;
      else checker = begun;
    } else if (isHeld(value)) {
      problem = checker.takeHeld(value);
      held++;
    } else if (isRow(value)) {
      problem = checker.take(value);
      rows++;
      if (problem === undefined && value.canon.includes(`"${PRUNED_OPERATION}"`)) prunings.push(...pruningOf(value));
    } else if (isGap(value)) problem = checker.skip(value);
    else problem = 'row_unreadable';
    if (problem !== undefined) break;
  }
  problem ??= checker === undefined ? 'empty' : checker.end();
  if (problem === undefined) return { result: 'intact', rows, held, prunings };
  return { result: 'tampered', rows, held, problem, prunings: [] };
}

/** The verdict for people. */
export function exportVerdict({ result, rows, held, problem, prunings }: ExportCheck): string {
  const standing = held === 0 ? '' : `, ${held} held records of a pruned part`;
  if (problem !== undefined) return `${result}: ${problem} after ${rows} rows${standing}`;
  const cuts = prunings.map((about) => `  the log was pruned: ${about.join(', ')}`);
  return [`${result}: ${rows} rows${standing}`, ...cuts].join('\n');
}

function pruningOf({ canon }: ExportRow): readonly (readonly string[])[] {
  const { operation, resourceIds } = decodeCanonical(Buffer.from(canon));
  return operation === PRUNED_OPERATION ? [resourceIds] : [];
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isRow(value: unknown): value is ExportRow {
  const row = value as Partial<ExportRow> | null | undefined;
  return typeof row === 'object' && row !== null && typeof row.seq === 'number' && typeof row.canon === 'string';
}

function isHeld(value: unknown): value is ExportHeldRow {
  const path = (value as Partial<ExportHeldRow> | null | undefined)?.path;
  return isRow(value) && Array.isArray(path) && path.every((hash) => typeof hash === 'string');
}

function isGap(value: unknown): value is ExportGap {
  const gap = value as Partial<ExportGap> | null | undefined;
  if (typeof gap !== 'object' || gap === null || !Number.isSafeInteger(gap.from) || !Number.isSafeInteger(gap.to))
    return false;
  return Array.isArray(gap.hashes) && gap.hashes.every((hash) => typeof hash === 'string');
}
