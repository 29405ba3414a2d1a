import { TILE_HEIGHT, TILE_WIDTH, HashesLack } from '../domain/log/tiles.js';
import { leafOf } from '../domain/stored-record.js';
import { tileRootOf, VaultDigest, type VaultStatement, vaultStatementOf } from '../domain/vault.js';
import type { AuditLogReader, VaultedEntry } from './audit-log-reader.js';
import { checkRow } from './check-row.js';
import { isErased } from './verify-erasures.js';
import type { Findings } from './verify-findings.js';

const RECORDS_AT_ONCE = 1000;

/**
 * Checks held records that a pruning left in the vault: each in itself, its leaf against what is left of the tree, and all of them
 * against what the log says is there.
 */
export class VaultChecks {
  private readonly tiles = new Map<number, Promise<Uint8Array | undefined>>();

  constructor(
    private readonly reader: AuditLogReader,
    private readonly organizationId: string,
    private readonly at: (level: number, index: number) => Promise<Uint8Array>,
    private readonly findings: Findings,
  ) {}

  /** The whole vault. @param minIndex first row that the log itself has to have. @returns how many records there are */
  async whole(minIndex: number): Promise<number> {
    const stated = await this.stated(minIndex);
    const digest = stated && new VaultDigest(this.organizationId, stated);
    let [records, counted] = [0, 0];
    for (let from = 0; ;) {
      const entries = await this.reader.vaulted(this.organizationId, from, RECORDS_AT_ONCE);
      for (const entry of entries) {
        await this.one(entry);
        if (stated === undefined || entry.vaultNumber > stated.lastNumber) continue; // came in since
        counted++;
        digest?.take(entry.seq, leafOf(entry.row.canon), entry.row.nonce === null);
      }
      records += entries.length;
      const last = entries.at(-1);
      if (last === undefined) break;
      from = last.seq + 1;
    }
    if (stated !== undefined && (counted !== stated.records || digest?.end() !== stated.digest))
      this.findings.add('vault_differs', 0, minIndex - 1);
    return records;
  }

  /** One record. */
  async one({ seq, path, row }: VaultedEntry): Promise<void> {
    const problem = checkRow(row);
    if (problem !== undefined) this.findings.add(problem, seq, seq);
    const root = await this.tileRoot(Math.floor(seq / TILE_WIDTH));
    if (root === undefined || Buffer.compare(tileRootOf(leafOf(row.canon), { seq, path }), root) !== 0)
      this.findings.add('vault_differs', seq, seq);
    if (problem === undefined && isErased(row) && !(await this.isRedacted(row.columns.eventId)))
      this.findings.add('value_erased', seq, seq);
  }

  private async stated(minIndex: number): Promise<VaultStatement | undefined> {
    const record = await this.reader.vaultStated(this.organizationId);
    if (record === undefined) return undefined;
    const stated = vaultStatementOf(record.resourceIds, record.afterHash);
    if (stated === undefined) this.findings.add('vault_differs', 0, minIndex - 1);
    return stated;
  }

  /** From the tiles that stay. */
  private tileRoot(tile: number): Promise<Uint8Array | undefined> {
    const known =
      this.tiles.get(tile) ??
      this.at(TILE_HEIGHT, tile).catch((error: unknown) => {
        if (error instanceof HashesLack) return undefined;
        throw error;
      });
    if (!this.tiles.has(tile)) this.tiles.clear(); // records come in order
    this.tiles.set(tile, known);
    return known;
  }

  /** The record of the redaction itself may have been pruned; that the values were gone is in what the log says of the vault. */
  private async isRedacted(eventId: string): Promise<boolean> {
    return (await this.reader.redactionsOf(this.organizationId, [eventId])).has(eventId);
  }
}
