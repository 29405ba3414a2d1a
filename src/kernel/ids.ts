import { hash, randomBytes } from 'node:crypto';
import { monotonicFactory } from 'ulid';

/** Ids that this gateway mints or lets staff choose: organization, rooftop, vehicle, feed, policy (decision record 0007). */
export const MINTED_ID_PATTERN = '^[a-z0-9][a-z0-9._-]{0,127}$';
const MINTED_ID = new RegExp(MINTED_ID_PATTERN);

export function isMintedId(value: string): boolean {
  return MINTED_ID.test(value);
}

/** The tenant under which calls are audited that failed before any organization was known. Never an organization's id. */
export const PLATFORM_TENANT = 'forecourt.platform';

const ulid = monotonicFactory(pooledRandom());

/** Random fractions from bytes fetched in bulk: an id asks for sixteen of them, and each fetch costs a system call's worth. */
function pooledRandom(): () => number {
  let pool = randomBytes(4096);
  let next = 0;
  return () => {
    if (next === pool.length) [pool, next] = [randomBytes(4096), 0];
    return pool.readUInt8(next++) / 256;
  };
}

export const newTraceId = (): string => `trc_${ulid()}`;
/** The trace id of a request that has a request id: the same ULID, so that support finds one by the other. */
export const traceIdOfRequest = (requestId: string): string => `trc_${requestId.slice(4)}`;
export const newRequestId = (): string => `req_${ulid()}`;
export const newErrorId = (): string => `err_${ulid()}`;
export const newRunId = (): string => `run.${ulid().toLowerCase()}`;
export const newGrantId = (): string => `grant.${ulid().toLowerCase()}`;
export const newAgentClientId = (): string => `client.${ulid().toLowerCase()}`;
export const newTrustedIssuerId = (): string => `issuer.${ulid().toLowerCase()}`;
export const newPolicyDraftId = (): string => `pold.${ulid().toLowerCase()}`;
export const newRetentionDraftId = (): string => `retd.${ulid().toLowerCase()}`;
export const newDelegationId = (): string => `dlg.${ulid().toLowerCase()}`;
export const newPersonId = (): string => `staff.${ulid().toLowerCase()}`;
export const newStaffCodeId = (): string => `code.${ulid().toLowerCase()}`;
export const newApprovalId = (): string => `apr.${ulid().toLowerCase()}`;
export const newAuditTargetId = (): string => `target.${ulid().toLowerCase()}`;
export const newOrganizationId = (): string => `org.${ulid().toLowerCase()}`;
export const newRooftopId = (): string => `roof.${ulid().toLowerCase()}`;
export const newMoveId = (): string => `move.${ulid().toLowerCase()}`;
export const newAuditExportId = (): string => `export.${ulid().toLowerCase()}`;
export const newAuditStreamId = (): string => `stream.${ulid().toLowerCase()}`;
export const newReplayId = (): string => `replay.${ulid().toLowerCase()}`;
export const newHoldId = (): string => `hold.${ulid().toLowerCase()}`;
export const newHoldNoticeId = (): string => `notice.${ulid().toLowerCase()}`;
export const newHoldNoticeTargetId = (): string => `notice-target.${ulid().toLowerCase()}`;
export const newRetentionRunId = (): string => `ret.${ulid().toLowerCase()}`;
export const newStandingApprovalId = (): string => `standing.${ulid().toLowerCase()}`;
export const newDeletionRecordId = (): string => `del.${ulid().toLowerCase()}`;
export const newPrivacyRequestId = (): string => `privacy.${ulid().toLowerCase()}`;
export const newSnapshotId = (): string => `snap.${ulid().toLowerCase()}`;

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
/** 125 bits: no two units of a group will ever meet. */
const ID_CHARACTERS = 25;

/**
 * The stable id of a unit at a rooftop. Derived from the rooftop's secret seed, so that the same car keeps its id over
 * every re-import and restore (DAP-CORE-015), and nobody can probe for an unpublished VIN by computing ids.
 */
export function vehicleIdOf(rooftopSeed: Uint8Array, vin: string): string {
  const digest = hash('sha256', Buffer.concat([rooftopSeed, Buffer.from(`\0${vin}`)]), 'buffer');
  let id = 'veh.';
  let bits = 0;
  let held = 0;
  for (let i = 0; id.length < 4 + ID_CHARACTERS; i++) {
    bits = (bits << 8) | digest.readUInt8(i);
    for (held += 8; held >= 5 && id.length < 4 + ID_CHARACTERS; held -= 5)
      id += BASE32.charAt((bits >>> (held - 5)) & 31);
    bits &= 0xff;
  }
  return id;
}
