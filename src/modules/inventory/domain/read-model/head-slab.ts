/** Heads of a rooftop's units as UTF-8 in a few large chunks. A head never spans two chunks. */
export interface HeadSlab {
  readonly chunks: readonly Buffer[];
}

/** Where a head lies. Bytes. */
export interface HeadPlace {
  readonly chunk: number;
  readonly start: number;
  readonly length: number;
}

const CHUNK_BYTES = 1_048_576;

/** Writes heads one after the other, so that no more than a row's own string is held twice. */
export class HeadSlabWriter {
  private readonly chunks: Buffer[] = [];
  private current = Buffer.alloc(0);
  private used = 0;

  append(head: string): HeadPlace {
    // UTF-8 needs at most three bytes for a UTF-16 unit; only near the end of a chunk is the exact length worth counting.
    if (head.length * 3 > this.current.length - this.used) this.makeRoom(Buffer.byteLength(head, 'utf8'));
    const start = this.used;
    this.used += this.current.write(head, start, 'utf8');
    return { chunk: this.chunks.length, start, length: this.used - start };
  }

  /** The finished slab. The writer must not be used afterwards. */
  finish(): HeadSlab {
    this.closeChunk();
    return { chunks: this.chunks };
  }

  private makeRoom(bytes: number): void {
    if (bytes <= this.current.length - this.used) return;
    this.closeChunk();
    this.current = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, bytes));
    this.used = 0;
  }

  /** A chunk that is mostly empty is copied to its size: a small rooftop must not cost a whole chunk. */
  private closeChunk(): void {
    if (this.used === 0) return;
    const full = this.current.subarray(0, this.used);
    const sparse = this.used < this.current.length * 0.9;
    this.chunks.push(sparse ? copyOf(full) : full);
    this.current = Buffer.alloc(0);
    this.used = 0;
  }
}

function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}
