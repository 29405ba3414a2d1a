import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { FeedBytes } from '../modules/inventory/index.js';
import { CommandError, EXIT } from './exit-codes.js';

/** A file on disk as re-readable bytes. @throws CommandError when it is not a readable file. */
export async function openFile(path: string): Promise<FeedBytes & { readonly size: number }> {
  const info = await stat(path).catch(() => undefined);
  if (info === undefined || !info.isFile())
    throw new CommandError(`${path} is not a file that can be read`, EXIT.usage);
  return { size: info.size, chunks: () => createReadStream(path, { highWaterMark: 262_144 }) };
}
