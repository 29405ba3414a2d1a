import type { PrivacyRequest } from '../domain/privacy-request.js';
import type { FilePart } from './privacy-request-store.js';

/** What the file is and how to check it: JSON text, kept byte for byte. Says nothing of whom it is about. */
export function accessManifest(
  { requestId, progress, bytes }: PrivacyRequest,
  parts: readonly FilePart[],
  file: { readonly sha256: string; readonly createdAt: string; readonly expiresAt: string },
): string {
  const manifest = {
    request_id: requestId,
    format: 'ndjson',
    created_at: file.createdAt,
    expires_at: file.expiresAt,
    bytes,
    sha256: file.sha256,
    parts: parts.map(({ sha256, bytes: size }) => ({ sha256, bytes: size })),
    places: progress.places.map(({ place, found }) => ({ place, records: found })),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
