interface Item<V> {
  readonly value: V;
  readonly bytes: number;
}

/** Keeps the most recently used values up to a number of bytes. What alone exceeds the bound is not kept. */
export class ByteLru<V> {
  private readonly items = new Map<string, Item<V>>();
  private held = 0;

  constructor(readonly maxBytes: number) {}

  /** Bytes held, as charged. */
  get bytes(): number {
    return this.held;
  }

  get size(): number {
    return this.items.size;
  }

  get(key: string): V | undefined {
    const item = this.items.get(key);
    if (item === undefined) return undefined;
    this.items.delete(key);
    this.items.set(key, item);
    return item.value;
  }

  /** @param bytes what the value costs; its key is charged as well. */
  set(key: string, value: V, bytes: number): void {
    this.remove(key);
    const charged = bytes + key.length * 2;
    if (charged > this.maxBytes) return;
    this.items.set(key, { value, bytes: charged });
    this.held += charged;
    for (const oldest of this.items.keys()) {
      if (this.held <= this.maxBytes) break;
      this.remove(oldest);
    }
  }

  private remove(key: string): void {
    const item = this.items.get(key);
    if (item === undefined) return;
    this.items.delete(key);
    this.held -= item.bytes;
  }
}
