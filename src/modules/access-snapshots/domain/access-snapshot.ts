import { createHash } from 'node:crypto';

/** What one organization allows whom, as it was at one moment: all sections together, or nothing. */
export interface AccessSnapshot {
  readonly organizationId: string;
  readonly stamp: VersionStamp;
  /** By section. */
  readonly content: Readonly<Record<string, unknown>>;
  /** SHA-256 of the content, in hex. */
  readonly checksum: string;
  /** When the database last said that this version is the current one. Milliseconds. */
  readonly confirmedAt: number;
}

/** Which version of an organization's access it is. A database that was put back or made anew counts from elsewhere. */
export interface VersionStamp {
  readonly version: number;
  /** Milliseconds. */
  readonly changedAt: number;
}

export const sameStamp = (a: VersionStamp, b: VersionStamp): boolean =>
  a.version === b.version && a.changedAt === b.changedAt;

/** The content as text; bytes are written as base64 and read again as bytes. */
export function encodeContent(content: unknown): string {
  return JSON.stringify(content, (_, value: unknown) => {
    if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') };
    // A Buffer has turned itself into this before the replacer sees it.
    if (isBufferJson(value)) return { $bytes: Buffer.from(value.data).toString('base64') };
    return value;
  });
}

export function decodeContent(text: string): unknown {
  return JSON.parse(text, (_, value: unknown) => {
    const bytes = (value as { $bytes?: unknown } | null)?.$bytes;
    return typeof bytes === 'string' ? Uint8Array.from(Buffer.from(bytes, 'base64')) : value;
  });
}

export const checksumOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const isBufferJson = (value: unknown): value is { data: number[] } =>
  (value as { type?: unknown } | null)?.type === 'Buffer' && Array.isArray((value as { data?: unknown }).data);
