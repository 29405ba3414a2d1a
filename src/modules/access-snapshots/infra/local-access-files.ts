import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocalAccessStore, Revocation } from '../app/snapshot-ports.js';
import type { AccessSnapshot } from '../domain/access-snapshot.js';
import { checksumOf, decodeContent, encodeContent } from '../domain/access-snapshot.js';
import { readSealed, writeSealed } from './sealed-file.js';

const FORM = 1;
const SNAPSHOT = /^[a-z0-9][a-z0-9._-]{0,127}\.snapshot$/;

/** Files of the last known good in one folder: `<organization>.snapshot` and `revocations`. */
export class LocalAccessFiles implements LocalAccessStore {
  /** @param keys of the files, the current one first */
  constructor(
    private readonly dir: string,
    private readonly keys: readonly [Uint8Array, ...Uint8Array[]],
    private readonly report: (problem: string) => void,
  ) {}

  saveSnapshot({ content, ...rest }: AccessSnapshot): Promise<void> {
    const text = JSON.stringify({ form: FORM, ...rest, content: encodeContent(content) });
    return writeSealed(join(this.dir, `${rest.organizationId}.snapshot`), text, this.keys[0]);
  }

  async snapshots(most: number): Promise<readonly AccessSnapshot[]> {
    const read: AccessSnapshot[] = [];
    for (const file of await this.newest(most)) {
      const snapshot = await this.read(file, (text) => toSnapshot(text, file));
      if (snapshot !== undefined) read.push(snapshot);
    }
    return read;
  }

  saveRevocations(revocations: readonly Revocation[]): Promise<void> {
    const text = JSON.stringify({ form: FORM, revocations });
    return writeSealed(join(this.dir, 'revocations'), text, this.keys[0]);
  }

  async revocations(): Promise<readonly Revocation[]> {
    const read = await this.read('revocations', (text) => {
      const { form, revocations } = JSON.parse(text) as { form: number; revocations: Revocation[] };
      if (form !== FORM) throw new Error('revocations are in an unknown form');
      return revocations;
    });
    return read ?? [];
  }

  private async read<T>(name: string, parse: (text: string) => T): Promise<T | undefined> {
    try {
      const text = await readSealed(join(this.dir, name), this.keys);
      return text === undefined ? undefined : parse(text);
    } catch (error) {
      this.report(`a file of what was last known is not used: ${String(error)}`);
      return undefined;
    }
  }

  private async newest(most: number): Promise<readonly string[]> {
    const names = (await readdir(this.dir).catch(() => [])).filter((name) => SNAPSHOT.test(name));
    const dated = await Promise.all(
      names.map(async (name) => ({
        name,
        at: (await stat(join(this.dir, name)).catch(() => undefined))?.mtimeMs ?? 0,
      })),
    );
    return dated
      .toSorted((a, b) => b.at - a.at)
      .slice(0, most)
      .map(({ name }) => name);
  }
}

function toSnapshot(text: string, file: string): AccessSnapshot {
  const { form, content, ...rest } = JSON.parse(text) as Omit<AccessSnapshot, 'content'> & {
    form: number;
    content: string;
  };
  if (form !== FORM) throw new Error(`${file} is in an unknown form`);
  if (file !== `${rest.organizationId}.snapshot`) throw new Error(`${file} holds the snapshot of another organization`);
  if (checksumOf(content) !== rest.checksum) throw new Error(`${file} does not have the checksum that it names`);
  return { ...rest, content: decodeContent(content) as AccessSnapshot['content'] };
}
