import { hash } from 'node:crypto';
import { CompactRange } from '../../audit/index.js';

/**
 * The Merkle root of the records that a hold lists (RFC 9162 §2.1.1): a leaf is SHA-256(0x00 ‖ category ‖ 0x0A ‖ record id),
 * a node SHA-256(0x01 ‖ left ‖ right), and the leaves stand in the order of their bytes. Whoever has the list can compute it.
 */
export class HoldRoot {
  private readonly range = new CompactRange();

  /** Takes records in, in their order. @param listed as `heldRecordOf` reads them */
  add(listed: readonly string[]): void {
    for (const record of listed) this.range.add(hash('sha256', `\0${record}`, 'buffer'));
  }

  /** Of everything so far. */
  count(): { readonly covered: number; readonly root: Uint8Array } {
    return { covered: this.range.size, root: this.range.root() };
  }
}
