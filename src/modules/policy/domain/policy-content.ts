import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../kernel/canonical-json.js';

/** SHA-256 of a policy document in its canonical form, hex. */
export const contentHashOf = (document: object): string => sha256(document);

/**
 * What a person approves when a policy is to be published: this document in place of that version, and nothing else. Once
 * another version came into force, what was approved is another change, and is asked for again.
 */
export const publicationHashOf = (document: object, replaces: number): string => sha256({ document, replaces });

const sha256 = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('hex');
