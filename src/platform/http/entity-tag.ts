import type { FastifyReply } from './request-context.js';

/** Strong entity tag of a version. */
export const entityTagOf = (version: number): string => `"${version}"`;

/** The view of a resource as the answer, with the version that a change of it has to name. */
export function taggedWith(reply: FastifyReply, version: number, view: object): object {
  reply.header('etag', entityTagOf(version));
  return view;
}

/**
 * Versions that an If-Match header names (RFC 9110 §13.1.1). `*` names none: it would let a change overwrite one that its
 * author has never seen. A weak or foreign tag is a name that no version has.
 * @returns undefined when the header is missing or names no version.
 */
export function versionsNamed(ifMatch: string | undefined): readonly number[] | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '' || ifMatch.trim() === '*') return undefined;
  return ifMatch.split(',').map((tag) => {
    const version = /^\s*"([1-9]\d{0,9})"\s*$/.exec(tag)?.[1];
    return version === undefined ? Number.NaN : Number(version);
  });
}
