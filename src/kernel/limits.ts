/**
 * Every fixed number of the product: its unit, its bound and why. What an operator may change is in platform/config and
 * refers to these as defaults. docs/reference/limits.md is generated from this table.
 */
export interface Limit {
  readonly value: number;
  readonly unit: string;
  readonly why: string;
}

export const LIMITS = {
  requestBodyBytes: {
    value: 1_048_576,
    unit: 'bytes',
    why: 'Largest JSON body of a protocol or admin request; the DAP reference uses the same.',
  },
  registeredClients: {
    value: 10_000,
    unit: 'clients',
    why: 'Clients that registered themselves at the embedded authorization server; anybody may, so there is an end.',
  },
  registrationBytes: {
    value: 16_384,
    unit: 'bytes',
    why: 'Largest body at the embedded authorization server: metadata of a client with its keys, or a form.',
  },
  jsonDepth: { value: 64, unit: 'levels', why: 'Deeper JSON is refused before validation (DAP security profile §9).' },
  rooftopIdsPerRequest: {
    value: 500,
    unit: 'items',
    why: 'DAP gives rooftop_ids no bound; a group has a few hundred rooftops.',
  },
  filterValues: {
    value: 50,
    unit: 'items',
    why: 'DAP gives filter arrays no bound; more values than this is a script, not a shopper.',
  },
  subscriptions: {
    value: 200,
    unit: 'streams',
    why: 'Subscriptions that one process holds open; each is a connection.',
  },
  subscriptionsOfCaller: {
    value: 20,
    unit: 'streams',
    why: 'Subscriptions that one anonymous network, or one agent, holds open at one process.',
  },
  failureWindowMs: {
    value: 300_000,
    unit: 'milliseconds',
    why: 'Bad credentials and misses are added up over this time.',
  },
  badCredentialPauseMs: {
    value: 60_000,
    unit: 'milliseconds',
    why: 'How long a network waits after too many bad credentials; later ones are heard once in this time.',
  },
  probingPauseMs: {
    value: 30_000,
    unit: 'milliseconds',
    why: 'How long a caller waits after asking too often for what is not there.',
  },
  rooftopsCountedPerCall: {
    value: 8,
    unit: 'rooftops',
    why: 'A call that names more rooftops than this counts once on the allowance of the whole group.',
  },
  searchPageMax: { value: 100, unit: 'vehicles', why: 'DAP pageRequest.limit maximum.' },
  searchPageDefault: { value: 25, unit: 'vehicles', why: 'A page that a language model can read whole.' },
  searchTokens: { value: 8, unit: 'words', why: 'Words of a free-text query that are evaluated; more are refused.' },
  facetValues: { value: 100, unit: 'values', why: 'Most frequent values of a facet that are listed.' },
  cursorLifetimeSeconds: {
    value: 900,
    unit: 'seconds',
    why: 'DAP-SEC-006 asks for an expiry; a shopper pages within minutes.',
  },
  manifestLifetimeSeconds: { value: 3600, unit: 'seconds', why: 'Validity window of one manifest instance.' },
  idempotencyKeptHours: {
    value: 48,
    unit: 'hours',
    why: 'How long the reply to a keyed write is kept; the ops contract asks for 24, and a client may come back after a weekend day.',
  },
  retryAfterMsMax: { value: 86_400_000, unit: 'milliseconds', why: 'DAP error schema: retry_after_ms maximum.' },
  retryAfterMsDefault: {
    value: 1000,
    unit: 'milliseconds',
    why: 'Hint of a retryable failure that knows no better (ops contract default).',
  },
  uploadBytes: {
    value: 524_288_000,
    unit: 'bytes',
    why: 'Largest feed file; the largest group files seen are about 200 MB.',
  },
  feedCellCharacters: { value: 65_536, unit: 'characters', why: 'Longest cell; longer ones are quarantined, not cut.' },
  feedRecordBytes: {
    value: 1_048_576,
    unit: 'characters',
    why: 'Longest record of any codec; bounds memory under an unclosed quote or element.',
  },
  feedBatchRows: { value: 1000, unit: 'rows', why: 'Rows per insert statement of an import.' },
  feedFeatures: { value: 200, unit: 'items', why: 'Features kept of a unit (DAP allows 500).' },
  feedMedia: { value: 100, unit: 'items', why: 'Media kept of a unit (DAP allows 500).' },
  feedDescriptionCharacters: {
    value: 5000,
    unit: 'characters',
    why: 'Description text kept of a unit; never published over DAP.',
  },
  futureSkewSeconds: {
    value: 300,
    unit: 'seconds',
    why: 'How far in the future an observation may lie before it is refused (DAP-CSV-002).',
  },
  pullRedirects: {
    value: 3,
    unit: 'redirects',
    why: 'Redirects a feed pull follows; each target passes the egress guard again.',
  },
  pullTimeoutMs: { value: 120_000, unit: 'milliseconds', why: 'Whole time of a feed pull.' },
  sourceAnswerBytes: { value: 16_384, unit: 'bytes', why: 'Largest answer of an availability source: three members.' },
  sourceSkewSeconds: {
    value: 5,
    unit: 'seconds',
    why: 'How far ahead of our clock an availability source may have observed; further ahead it is refused.',
  },
  sourceFailures: {
    value: 5,
    unit: 'failures',
    why: 'Failures in a row after which an availability source is left alone.',
  },
  sourcePauseMs: {
    value: 10_000,
    unit: 'milliseconds',
    why: 'How long a failing availability source is left alone before one call tries again.',
  },
  sourceRetryMs: {
    value: 2000,
    unit: 'milliseconds',
    why: 'Retry hint after an availability source gave no usable answer.',
  },
  unverifiableRetryMs: {
    value: 3_600_000,
    unit: 'milliseconds',
    why: 'Retry hint where a rooftop has no authoritative source: only its settings can change that.',
  },
  tokenBytes: {
    value: 8192,
    unit: 'characters',
    why: 'Longest access token that is looked at; issuers with groups stay below.',
  },
  tokenLeewaySeconds: {
    value: 30,
    unit: 'seconds',
    why: 'How far the clocks of an issuer and this service may differ; RFC 7519 speaks of no more than a few minutes.',
  },
  tokenLifetimeSeconds: {
    value: 5400,
    unit: 'seconds',
    why: 'Longest life of an access token (DAP security profile §2 asks for a short one); large issuers go up to 90 minutes.',
  },
  tokenRememberedMs: {
    value: 60_000,
    unit: 'milliseconds',
    why: 'How long the signature of a token is remembered; its claims, client and grant are checked on every call.',
  },
  tokensRemembered: {
    value: 10_000,
    unit: 'tokens',
    why: 'Tokens whose signature is remembered; the oldest makes room.',
  },
  issuerKeysFreshMs: {
    value: 600_000,
    unit: 'milliseconds',
    why: 'How long the keys of an issuer are used before they are fetched again; bounds how long a withdrawn key counts.',
  },
  issuerKeysKeptMs: {
    value: 86_400_000,
    unit: 'milliseconds',
    why: 'How long the last known keys of an issuer count while it is away.',
  },
  issuerKeysPauseMs: {
    value: 10_000,
    unit: 'milliseconds',
    why: 'Shortest time between two fetches of the keys of an issuer, whatever key ids callers make up.',
  },
  issuerKeys: { value: 50, unit: 'keys', why: 'Keys of an issuer that are looked at; rotation needs two or three.' },
  issuerDocumentBytes: {
    value: 262_144,
    unit: 'bytes',
    why: 'Largest metadata, key set or introspection answer of an issuer.',
  },
  issuerTimeoutMs: { value: 3000, unit: 'milliseconds', why: 'Whole time of one request to an issuer.' },
  issuersPerOrganization: {
    value: 20,
    unit: 'issuers',
    why: 'Authorization servers that an organization trusts at one time.',
  },
  introspectionRememberedMs: {
    value: 5000,
    unit: 'milliseconds',
    why: 'How long the answer of an introspection endpoint is used; a token withdrawn there counts no longer than this.',
  },
  dpopProofSeconds: {
    value: 60,
    unit: 'seconds',
    why: 'How far the time of a proof of possession may lie from ours, in both directions (RFC 9449 §11.1).',
  },
  dpopProofBytes: { value: 4096, unit: 'characters', why: 'Longest proof of possession that is looked at.' },
  dpopProofsRemembered: {
    value: 100_000,
    unit: 'proofs',
    why: 'Proofs that one process accepts in two minutes and remembers against replay, with all others; then callers are told to retry.',
  },
  fileUnusedSeconds: {
    value: 3600,
    unit: 'seconds',
    why: 'Age below which a file that no row names is left alone: whoever received it may still be writing its row.',
  },
  runLeaseSeconds: {
    value: 20,
    unit: 'seconds',
    why: 'How long a dead worker keeps a feed run before another may take it.',
  },
  keyOverlapDefaultSeconds: {
    value: 86_400,
    unit: 'seconds',
    why: 'How long a rotated API key goes on working beside its successor where nothing else is said: a day to exchange it.',
  },
  keyOverlapMaxSeconds: {
    value: 604_800,
    unit: 'seconds',
    why: 'Longest time that a rotated API key goes on working beside its successor.',
  },
  webhookSecretOverlapDefaultSeconds: {
    value: 86_400,
    unit: 'seconds',
    why: 'How long deliveries carry the signature of a rotated secret beside the new one where nothing else is said: a day to exchange it.',
  },
  webhookSecretOverlapMaxSeconds: {
    value: 604_800,
    unit: 'seconds',
    why: 'Longest time that deliveries carry the signature of a rotated secret beside the new one.',
  },
  keyNetworks: { value: 50, unit: 'ranges', why: 'CIDR ranges of an API key; each is compared on every call.' },
  keyScopes: { value: 100, unit: 'scopes', why: 'Scopes of an API key; categories cover more than that.' },
  keyUsageFlushMs: {
    value: 10_000,
    unit: 'milliseconds',
    why: 'How often the last use of API keys is written, apart from the calls; each key at most once a minute.',
  },
  rooftopOfferDays: { value: 30, unit: 'days', why: 'How long the offer of a rooftop to another organization stands.' },
  auditFlushRows: { value: 500, unit: 'rows', why: 'Most audit records of one group commit.' },
  auditGatherMs: {
    value: 2,
    unit: 'milliseconds',
    why: 'Shortest time between two group commits; an idle recorder commits at once.',
  },
  staffCodeSeconds: {
    value: 900,
    unit: 'seconds',
    why: 'How long a one-time code of a staff person works: it is read off one screen and typed into another.',
  },
  staffCodeAttempts: {
    value: 10,
    unit: 'attempts',
    why: 'Wrong one-time codes of a person in the life of a code, after which the right one is refused, too.',
  },
  staffSignInsPerMinute: {
    value: 20,
    unit: 'attempts',
    why: 'Sign-ins a minute from one network, whoever they are for.',
  },
  approvalSeconds: {
    value: 259_200,
    unit: 'seconds',
    why: 'How long an action waits for people: over a weekend, and no longer than they remember what it was.',
  },
  approvalSignInSeconds: {
    value: 900,
    unit: 'seconds',
    why: 'How long ago an approver may have proven who they are: an unattended screen approves nothing.',
  },
  approvalPollMs: { value: 5000, unit: 'milliseconds', why: 'Hint for programs that wait for an approval.' },
  journalWaitMs: {
    value: 3000,
    unit: 'milliseconds',
    why: 'How long a change waits for the restore journal: a disk that hangs must not hold its transaction.',
  },
  journalRevocationWaitMs: {
    value: 500,
    unit: 'milliseconds',
    why: 'How long a revocation waits for the restore journal before it takes effect without it.',
  },
  journalRetryMs: {
    value: 2000,
    unit: 'milliseconds',
    why: 'Hint for callers whose change the restore journal did not take.',
  },
  journalUnconfirmed: {
    value: 1000,
    unit: 'entries',
    why: 'Releases of holds whose commit a process goes on looking for, to confirm them in the restore journal.',
  },
  holdRecordsAtOnce: {
    value: 100_000,
    unit: 'records',
    why: 'Records that the answer of a hold counts; more are counted by a job, and nothing is deleted before.',
  },
  holdLockMs: {
    value: 5000,
    unit: 'milliseconds',
    why: 'How long a hold waits for deletions under way; their batches end well before.',
  },
  auditSearchMs: {
    value: 20_000,
    unit: 'milliseconds',
    why: 'How long a question about the audit trail may take before the caller is told to ask about a shorter period.',
  },
  auditSumRecords: {
    value: 25_000,
    unit: 'records',
    why: 'Records of the audit trail that one sum or page of receipts counts before it says where the next goes on: an answer within 2 s.',
  },
  holdCountMs: {
    value: 1500,
    unit: 'milliseconds',
    why: 'How long finding the records of a hold may take before a job does it: an answer within 2 s.',
  },
  holdCoverageMs: {
    value: 10_000,
    unit: 'milliseconds',
    why: 'How long a question for what a hold covers now may look over all tables.',
  },
  holdReminders: { value: 3, unit: 'reminders', why: 'Reminders of a hold notice before somebody else is told.' },
  holdNoticeTargets: {
    value: 200,
    unit: 'targets',
    why: 'Targets of hold notices of an organization: persons have their own.',
  },
  holdNoticeDeliveryDays: {
    value: 7,
    unit: 'days',
    why: 'How long a message of a hold notice is tried again before it is given up, and recorded as that.',
  },
  standingApprovalRecords: {
    value: 10_000,
    unit: 'records',
    why: 'Highest cap of a standing approval: what a routine sweep may take in one run without asking two people again.',
  },
  standingApprovalDays: { value: 90, unit: 'days', why: 'Longest time that a standing approval stands.' },
  retentionPreviewSeconds: {
    value: 86_400,
    unit: 'seconds',
    why: 'How long a preview of a deletion may be approved and begun: what people approve is what there is.',
  },
  retentionBrakeRecords: {
    value: 1000,
    unit: 'records',
    why: 'What a deletion takes of a table or category before the brake looks at shares and medians: small tables empty at once.',
  },
  privacyFileDays: {
    value: 30,
    unit: 'days',
    why: 'How long the file of an access request can be taken; it holds everything that is kept of somebody.',
  },
  auditQueueRows: {
    value: 20_000,
    unit: 'rows',
    why: 'Audit records waiting for a commit before callers are refused.',
  },
} as const satisfies Record<string, Limit>;

export type LimitName = keyof typeof LIMITS;
