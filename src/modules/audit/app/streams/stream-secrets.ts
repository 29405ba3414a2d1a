/** Port: seals the secrets that sign deliveries, with a key that is not in the database. */
export interface StreamSecrets {
  seal(secret: string, organizationId: string, streamId: string): Buffer;
  /** @returns undefined for what was sealed with a key that is not there any more, or for another stream. */
  open(sealed: Uint8Array, organizationId: string, streamId: string): string | undefined;
}
