import type pg from 'pg';

const FIRST_BYTES = 1 << 20;

/**
 * What a `COPY … TO STDOUT` sends, its messages side by side in one buffer: for bulk reads, where a row of the protocol costs more
 * than what is done with it. It takes no parameters.
 * @throws Error of the database or of the connection, as a query does.
 */
export function copyOut(client: pg.ClientBase, text: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    client.query(new CopyOut(text, resolve, reject));
  });
}

/** The calls that pg makes on what it has been given to run. */
class CopyOut implements pg.Submittable {
  private bytes = Buffer.allocUnsafe(FIRST_BYTES);
  private length = 0;

  constructor(
    private readonly text: string,
    private readonly resolve: (bytes: Buffer) => void,
    private readonly reject: (error: Error) => void,
  ) {}

  submit(connection: pg.Connection): void {
    connection.query(this.text);
  }

  /** The chunk is copied: pg uses its memory again. */
  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    const length = this.length + chunk.length;
    if (length > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.bytes.length));
      this.bytes.copy(larger, 0, 0, this.length);
      this.bytes = larger;
    }
    this.bytes.set(chunk, this.length);
    this.length = length;
  }

  handleError(error: Error): void {
    this.reject(error);
  }

  handleReadyForQuery(): void {
    this.resolve(this.bytes.subarray(0, this.length));
  }

  // The ways in which a statement ends that sends no rows: ReadyForQuery follows each.
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handlePortalSuspended(): void {}

  handleCopyInResponse(connection: { sendCopyFail(reason: string): void }): void {
    connection.sendCopyFail('nothing is copied in here');
  }
}
