// What of the MCP conformance suite's scored scenarios does not hold here, and why. Names are `scenario` (all its checks) or
// `scenario:check`. An entry that no longer fails fails the run, and so does a failure that is not listed.

const NO_PROMPTS = 'Prompts are not offered: a dealer group publishes facts, not prompts.';
const NO_COMPLETION =
  'Completion is not offered: there are no prompts and no templates with free arguments to complete.';
const DOCUMENTS_ONLY =
  'Every answer of the product is one JSON document, so a tool cannot answer images, sound or embedded resources.';
const NO_PROGRESS = 'Every answer is put together in memory in milliseconds; there is no progress to report.';
const NO_QUESTIONS =
  'Every tool is a read that is complete at once; none asks the client for input, so there is nothing to resume.';
const JSON_RESOURCES = 'Every resource of the product is a JSON document; none is binary.';
const NO_SESSIONS =
  'There are no sessions, so the server cannot send requests or log messages to a client of this revision.';
const NO_SESSION_ID =
  'A warning: the check begins with a session id, which the protocol leaves to the server, and ends where there is none. In the newer revision, which has no sessions, it passes.';
const NO_SUBSCRIBE =
  'Resource subscriptions need a session; clients of this revision read again when the manifest expires.';

const CONTENT_TOOLS = [
  'tools-call-image',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-mixed-content',
];
const PROMPTS = [
  'prompts-list',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-get-embedded-resource',
  'prompts-get-with-image',
];

const SHARED = [
  { reason: NO_PROMPTS, entries: PROMPTS },
  { reason: NO_COMPLETION, entries: ['completion-complete'] },
  { reason: DOCUMENTS_ONLY, entries: CONTENT_TOOLS },
  { reason: NO_PROGRESS, entries: ['tools-call-with-progress'] },
  { reason: JSON_RESOURCES, entries: ['resources-read-binary'] },
];

const EXPECTED_FAILURES = {
  '2025-11-25': [
    ...SHARED,
    { reason: NO_SUBSCRIBE, entries: ['resources-subscribe', 'resources-unsubscribe'] },
    {
      reason: NO_SESSIONS,
      entries: [
        'logging-set-level',
        'tools-call-with-logging',
        'tools-call-sampling',
        'tools-call-elicitation',
        'elicitation-sep1034-defaults',
        'elicitation-sep1330-enums',
      ],
    },
    { reason: NO_SESSION_ID, entries: ['server-sse-multiple-streams'] },
  ],
  '2026-07-28': [
    ...SHARED,
    { reason: NO_PROMPTS, entries: ['caching:sep-2549-prompts-list-caching-hints'] },
    {
      reason: NO_QUESTIONS,
      entries: [
        'input-required-result-basic-elicitation',
        'input-required-result-basic-sampling',
        'input-required-result-basic-list-roots',
        'input-required-result-request-state',
        'input-required-result-multiple-input-requests',
        'input-required-result-multi-round',
        'input-required-result-missing-input-response',
        'input-required-result-non-tool-request',
        'input-required-result-result-type',
        'input-required-result-tampered-state',
        'input-required-result-capability-check',
        'input-required-result-ignore-extra-params',
      ],
    },
    {
      reason: 'No tool relies on a capability of the client, so none can find one missing.',
      entries: [
        'server-stateless:sep-2575-server-rejects-undeclared-capability',
        'server-stateless:sep-2575-missing-capability-http-400',
      ],
    },
    {
      reason:
        'A SHOULD. The list changes with the settings of an organization, never by a call of a tool, and subscribers are told within three seconds; the suite has a tool change it and waits for one and a half.',
      entries: ['server-stateless:sep-2575-server-sends-tools-list-changed-on-subscription'],
    },
    {
      reason: 'A SHOULD that contradicts DAP-ERR-002: an error does not repeat what was sent.',
      entries: ['sep-2164-resource-not-found:sep-2164-data-uri'],
    },
  ],
};

/** Scenarios that pass on any server that refuses what it does not know: green, and no evidence. */
const NO_EVIDENCE = {
  '2025-11-25': {},
  '2026-07-28': {
    'input-required-result-unsupported-methods': 'passes because no result of ours asks for input',
    'input-required-result-validate-input': 'passes because an unknown tool is an error',
  },
};

/** The SDK's server of fixtures behind the product's HTTP layer: what cannot be done without sessions, in the older revision only. */
const EVERYTHING_FAILURES = {
  '2025-11-25': [
    {
      reason: NO_SESSIONS,
      entries: [
        'tools-call-sampling',
        'tools-call-elicitation',
        'elicitation-sep1034-defaults',
        'elicitation-sep1330-enums',
      ],
    },
    { reason: NO_SESSION_ID, entries: ['server-sse-multiple-streams'] },
  ],
  '2026-07-28': [],
};

export const REVISIONS = Object.keys(EXPECTED_FAILURES);

/** What is expected of the product's own tools, and of the SDK's server of fixtures in their place. */
export const productExpectations = (revision) => ({
  failures: EXPECTED_FAILURES[revision],
  noEvidence: NO_EVIDENCE[revision],
});
export const everythingExpectations = (revision) => ({ failures: EVERYTHING_FAILURES[revision], noEvidence: {} });
