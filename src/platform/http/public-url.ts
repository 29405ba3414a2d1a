import type { Settings } from '../config/settings.js';

/** Token of the base URL that callers use, without a trailing slash. */
export const PUBLIC_URL = Symbol('PublicUrl');

export function publicUrlOf({ PUBLIC_URL: configured, HOST, PORT }: Settings): string {
  return configured ?? `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT}`;
}
