import type { DecodedRecord } from '../stored-record.js';
import { contentOf, type ExportedRecord } from './exported-record.js';

/** The version of the Open Cybersecurity Schema Framework whose members are written; changing it is a decision. */
export const OCSF_VERSION = '1.4.0';

const CATEGORY = { category_uid: 6, category_name: 'Application Activity' };
const API_ACTIVITY = { class_uid: 6003, class_name: 'API Activity' };
const INFORMATIONAL = { severity_id: 1, severity: 'Informational' };
const LOW = { severity_id: 2, severity: 'Low' };

interface Activity {
  readonly activity_id: number;
  readonly activity_name: string;
}

/** What was done, as far as the record tells: a change by its hashes, a call of an agent as reading. */
function activityOf({ beforeHash, afterHash, surface, operation }: DecodedRecord): Activity {
  if (beforeHash !== null && afterHash !== null) return { activity_id: 3, activity_name: 'Update' };
  if (beforeHash !== null) return { activity_id: 4, activity_name: 'Delete' };
  if (afterHash !== null) return { activity_id: 1, activity_name: 'Create' };
  if (surface === 'mcp' || surface === 'a2a') return { activity_id: 2, activity_name: 'Read' };
  return { activity_id: 99, activity_name: operation };
}

const USER_TYPES: Readonly<Record<string, { type_id: number; type: string }>> = {
  anonymous: { type_id: 0, type: 'Unknown' },
  person: { type_id: 1, type: 'User' },
  system: { type_id: 3, type: 'System' },
};

/** A user needs a name or a uid; what was erased or never known is called by its kind. */
function actorOf({ actorKind }: DecodedRecord, { actor, client }: ExportedRecord): object {
  const type = USER_TYPES[actorKind] ?? { type_id: 99, type: actorKind };
  const user = actor === null ? { name: actorKind, ...type } : { uid: actor, ...type };
  return client === null ? { user } : { user, app_uid: client };
}

function statusOf({ outcome, failureCode, reason }: DecodedRecord): object {
  const status = outcome === 'succeeded' ? { status_id: 1, status: 'Success' } : { status_id: 2, status: 'Failure' };
  return {
    ...status,
    ...(failureCode === null ? {} : { status_code: failureCode }),
    ...(reason === null ? {} : { status_detail: reason }),
  };
}

/**
 * A record as an API Activity event (OCSF 6003). Networks are not in the trail, so the source is named by its client, or
 * said to be unknown. The leaf hash ties the event to the log.
 * @param log name of the log, as its checkpoints have it
 */
export function ocsfEvent(record: ExportedRecord, log: string): object {
  const said = contentOf(record);
  const activity = activityOf(said);
  return {
    ...CATEGORY,
    ...API_ACTIVITY,
    ...activity,
    type_uid: API_ACTIVITY.class_uid * 100 + activity.activity_id,
    ...(said.outcome === 'denied' ? LOW : INFORMATIONAL),
    ...statusOf(said),
    time: Date.parse(said.occurredAt),
    metadata: {
      version: OCSF_VERSION,
      product: { name: 'Forecourt', vendor_name: 'Forecourt' },
      uid: said.eventId,
      correlation_uid: said.traceId,
      log_name: log,
      sequence: record.seq,
      logged_time: Date.parse(record.recordedAt),
      original_time: said.occurredAt,
    },
    actor: actorOf(said, record),
    src_endpoint: record.client === null ? { name: 'unknown' } : { uid: record.client },
    api: {
      operation: said.operation,
      service: { name: said.surface },
      request: { uid: said.eventId },
      ...(said.profile === null ? {} : { version: said.profile }),
    },
    resources: [
      ...said.rooftopIds.map((uid) => ({ uid, type: 'rooftop' })),
      ...said.resourceIds.map((uid) => ({ uid, type: 'resource' })),
    ],
    unmapped: {
      organization_id: said.organizationId,
      decision: said.decision,
      policy_version: said.policyVersion,
      purpose: said.purpose,
      before_hash: said.beforeHash,
      after_hash: said.afterHash,
      leaf: record.leafHash.toString('base64'),
    },
  };
}
