import { Failure } from '../../../kernel/failure/failure.js';
import { STARTING_PROFILES, type StartingProfile } from '../domain/starting-profiles.js';

/** @throws Failure `resource.not_found` */
export function profileOf(profileId: string): StartingProfile {
  const profile = STARTING_PROFILES.find((candidate) => candidate.profileId === profileId);
  if (profile === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
  return profile;
}

/** What a new draft says: its own document or that of a profile. @throws Failure `input.invalid` for both at once. */
export function startingDocument(body: { readonly document?: object; readonly profile_id?: string }): unknown {
  if (body.profile_id === undefined) return body.document;
  if (body.document === undefined) return profileOf(body.profile_id).document;
  const explanation = 'a draft starts from a document or from a profile';
  throw new Failure('input.invalid', { violations: [{ pointer: '/profile_id', keyword: 'not', explanation }] });
}
