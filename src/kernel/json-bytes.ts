/**
 * A piece of serialised JSON as UTF-8 bytes. A protocol answer may carry one document twice: as JSON, and as text inside a
 * JSON string (MCP `structuredContent` and `content[].text`). Both forms are made at most once per piece, so an answer put
 * together from cached pieces is only copied.
 */
export class JsonBytes {
  private escapedForm: Buffer | undefined;

  private constructor(
    private plainForm: Buffer | undefined,
    private readonly parts: readonly JsonBytes[],
  ) {}

  /**
   * Serialises a value.
   * @throws TypeError for what JSON cannot express (undefined, a function, a cycle).
   */
  static of(value: unknown): JsonBytes {
    const text = JSON.stringify(value) as string | undefined;
    if (text === undefined) throw new TypeError('the value has no JSON form');
    return JsonBytes.text(text);
  }

  /** Takes JSON text, or a fragment of it such as `{"vehicles":`, as it is. The caller vouches for its form. */
  static text(json: string): JsonBytes {
    return new JsonBytes(Buffer.from(json, 'utf8'), []);
  }

  /** Takes bytes of JSON, or of a fragment, without copying. They must never be written to again. */
  static wrap(plain: Buffer): JsonBytes {
    return new JsonBytes(plain, []);
  }

  /** Puts pieces one after the other. Each form is joined from the pieces' own, the first time it is asked for. */
  static concat(parts: readonly JsonBytes[]): JsonBytes {
    return new JsonBytes(undefined, parts);
  }

  /** The JSON itself, UTF-8. Not to be written to. */
  get plain(): Buffer {
    this.plainForm ??= Buffer.concat(this.parts.map((part) => part.plain));
    return this.plainForm;
  }

  /** The same bytes as they stand inside a JSON string literal, without the surrounding quotes. Not to be written to. */
  get escaped(): Buffer {
    this.escapedForm ??=
      this.parts.length > 0 ? Buffer.concat(this.parts.map((part) => part.escaped)) : escapeBytes(this.plain);
    return this.escapedForm;
  }

  /** Appends the buffers that make up the plain form, so that one copy puts a whole answer together. */
  collectPlain(into: Buffer[]): void {
    if (this.plainForm !== undefined || this.parts.length === 0) into.push(this.plain);
    else for (const part of this.parts) part.collectPlain(into);
  }

  /** Appends the buffers that make up the escaped form. */
  collectEscaped(into: Buffer[]): void {
    if (this.escapedForm !== undefined || this.parts.length === 0) into.push(this.escaped);
    else for (const part of this.parts) part.collectEscaped(into);
  }

  /** Length of the plain form, bytes. */
  get byteLength(): number {
    if (this.plainForm !== undefined) return this.plainForm.length;
    let length = 0;
    for (const part of this.parts) length += part.byteLength;
    return length;
  }
}

/**
 * Read as Latin-1, every byte of UTF-8 is one character, and the only ones JSON.stringify changes are quotes, backslashes
 * and controls: exactly those that must be escaped. So the fast native serialiser escapes UTF-8 without decoding it.
 */
function escapeBytes(plain: Buffer): Buffer {
  return Buffer.from(JSON.stringify(plain.toString('latin1')), 'latin1').subarray(1, -1);
}
