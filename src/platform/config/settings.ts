import { z } from 'zod';
import { LIMITS } from '../../kernel/limits.js';

/**
 * Every setting of the service: name, default, bound and why. This schema is the only reader of the environment;
 * docs/reference/config.md is generated from it. All problems are reported at once, with how to fix each.
 */
const flag = z.enum(['on', 'off']).transform((v) => v === 'on');
const integer = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
const list = z
  .string()
  .default('')
  .transform((v) =>
    v
      .split(',')
      .map((s) => s.trim())
      .filter((s) => s !== ''),
  );
const groupRoles = list.transform((entries, context) =>
  entries.map((entry) => {
    const at = entry.lastIndexOf('=');
    const role = (['admin', 'compliance', 'auditor'] as const).find((known) => known === entry.slice(at + 1).trim());
    if (at < 1 || role === undefined)
      context.addIssue('every entry must be group=role with role admin, compliance or auditor');
    return { group: entry.slice(0, Math.max(at, 0)).trim(), role: role ?? 'auditor' };
  }),
);
const url = (protocols: readonly string[]) =>
  z
    .string()
    .refine(
      (v) => URL.canParse(v) && protocols.includes(new URL(v).protocol),
      `must be a URL starting with ${protocols.join(' or ')}//`,
    );

export const settingsSchema = z.object({
  FORECOURT_PROFILE: z
    .enum(['local', 'production'])
    .default('production')
    .describe(
      '`local` starts its own PostgreSQL when no DATABASE_URL is given, writes keys under the data folder and accepts a superuser. `production` refuses all three.',
    ),
  FORECOURT_DEMO: flag
    .default(false)
    .describe(
      '`on` loads the demo group through the feed pipeline. Needs the local profile and a loopback HOST, and is refused otherwise.',
    ),
  HOST: z.string().min(1).default('127.0.0.1').describe('Address to listen on.'),
  PORT: integer(0, 65535).default(8080).describe('Port to listen on; 0 takes a free one.'),
  PUBLIC_URL: url(['http:', 'https:'])
    .optional()
    .describe('What callers type, without a trailing slash. Default: http://HOST:PORT.'),
  DATA_DIR: z
    .string()
    .min(1)
    .default('.data')
    .describe('Folder for local state: the local database, received feed files, generated secrets.'),
  DATABASE_URL: url(['postgres:', 'postgresql:'])
    .optional()
    .describe(
      'PostgreSQL for the API and the workers. The login must be able to become forecourt_app and must not be a superuser in production.',
    ),
  MIGRATION_DATABASE_URL: url(['postgres:', 'postgresql:'])
    .optional()
    .describe('PostgreSQL login that may become forecourt_owner. Default: DATABASE_URL.'),
  DATABASE_POOL_SIZE: integer(2, 200)
    .default(12)
    .describe('Connections of each process for requests and jobs; the audit writer has two more.'),
  DATABASE_POOL_WAIT_MS: integer(50, 60_000)
    .default(2000)
    .describe('How long a request waits for a connection before it is told to retry.'),
  DATABASE_SILENT_MS: integer(200, 60_000)
    .default(800)
    .describe(
      'After how much silence the database counts as away: protected calls and changes fail at once until it answers. Milliseconds.',
    ),
  REDIS_URL: url(['redis:', 'rediss:'])
    .optional()
    .describe(
      'Redis for the job queue and for the limits that all processes share. Default: the queue lives in PostgreSQL, and each process limits by itself.',
    ),
  FORECOURT_SECRET: z
    .string()
    .min(32)
    .optional()
    .describe(
      'At least 32 characters from a secret store. Cursor and key-hash keys are derived from it. The local profile generates one.',
    ),
  FORECOURT_SECRET_PREVIOUS: z
    .string()
    .min(32)
    .optional()
    .describe('The secret before the last rotation: still accepted, never used to sign.'),
  AUDIT_SIGNING_KEY_FILE: z
    .string()
    .min(1)
    .optional()
    .describe(
      'PEM file (PKCS8) of the Ed25519 key that signs audit checkpoints. Without it nothing is signed; the local profile makes one under DATA_DIR/secrets.',
    ),
  AUDIT_PUBLIC_KEY_FILE: z
    .string()
    .min(1)
    .optional()
    .describe(
      'PEM file of the public half of the audit signing key, for processes that show it and cannot read the key itself. Default: out of AUDIT_SIGNING_KEY_FILE.',
    ),
  AUDIT_PREVIOUS_KEY_FILES: list.describe(
    'Comma-separated PEM files of the public keys that signed audit checkpoints before the last rotations: what they signed still counts, nothing is signed with them.',
  ),
  HOLD_COOLING_HOURS: integer(24, 8760)
    .default(72)
    .describe('Hours that a legal hold goes on binding after its release, so that a mistake can still be seen.'),
  HOLD_REMINDER_HOURS: integer(1, 8760)
    .default(72)
    .describe('Hours after which a notice of a legal hold that nobody acknowledged is sent again.'),
  AUDIT_MAIL_DIR: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder where daily statements of the audit trail and notices of legal holds are put as .eml files, for a mail system to send. Without it there are no targets by mail.',
    ),
  AUDIT_MAIL_FROM: z
    .email()
    .default('audit@forecourt.invalid')
    .describe('Sender of the statements and notices that go by mail.'),
  PRIVACY_FILES_DIR: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder for the files of access requests, shared by the API and the workers. Default: DATA_DIR/privacy-files.',
    ),
  AUTHORIZATION_SERVER: flag
    .optional()
    .describe(
      '`on` runs the embedded authorization server at PUBLIC_URL/oauth. Default: `on` in the local profile where PUBLIC_URL is https or loopback, else `off`.',
    ),
  AUTHORIZATION_SIGNING_KEY_FILE: z
    .string()
    .min(1)
    .optional()
    .describe(
      'PEM file (PKCS8) of the P-256 key that signs access tokens of the embedded authorization server. The local profile makes one under DATA_DIR/secrets.',
    ),
  AUTHORIZATION_SIGNING_KEY_PREVIOUS_FILE: z
    .string()
    .min(1)
    .optional()
    .describe('PEM file of the signing key before the last rotation: still published, never used to sign.'),
  AUTHORIZATION_CALLS_PER_MINUTE: integer(1, 1_000_000)
    .default(240)
    .describe('Calls a minute to the embedded authorization server for each network address.'),
  CLIENT_REGISTRATIONS_PER_MINUTE: integer(1, 1_000_000)
    .default(20)
    .describe('Clients a minute that each network address may register at the embedded authorization server.'),
  ACCESS_ORGANIZATIONS: integer(1, 100_000)
    .default(1000)
    .describe(
      'Organizations whose access snapshot is held in memory at the same time; the least recently asked is dropped.',
    ),
  ACCESS_MAX_AGE_SECONDS: integer(5, 86_400)
    .default(900)
    .describe(
      'How long an access snapshot counts that the database has not confirmed: after it calls with a credential are refused.',
    ),
  AUDIT_WHEN_AWAY: z
    .enum(['spool', 'refuse'])
    .default('spool')
    .describe(
      '`spool`: while the database is away published retail is still answered, and its audit records are kept under DATA_DIR/audit-spool until it is back. `refuse`: every call is refused until then.',
    ),
  AUDIT_SPOOL_BYTES: integer(1024, 68_719_476_736)
    .default(67_108_864)
    .describe(
      'Most bytes of one spool file of audit records; with a full one calls are refused. A record takes about 700.',
    ),
  DEFAULT_ORGANIZATION: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,127}$/)
    .optional()
    .describe('Organization served at /mcp. Default: the only one, where there is only one.'),
  GATEWAY_ID: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,127}$/)
    .default('forecourt')
    .describe('gateway_id of the manifests.'),
  OPERATOR_NAME: z.string().min(1).max(200).default('Forecourt operator').describe('operator.name of the manifests.'),
  ALLOWED_ORIGINS: list.describe('Comma-separated origins of browser clients. Others get 403.'),
  ALLOWED_HOSTS: list.describe(
    'Comma-separated Host values beside the one of PUBLIC_URL and, on a loopback HOST, the loopback names.',
  ),
  TRUSTED_PROXIES: list.describe(
    'Comma-separated addresses or CIDR ranges whose X-Forwarded-For is believed. Default: none.',
  ),
  ANONYMOUS_CALLS_PER_MINUTE: integer(1, 10_000_000)
    .default(600)
    .describe('Tool calls a minute for each anonymous network (IPv4 address or IPv6 /64).'),
  AGENT_CALLS_PER_MINUTE: integer(1, 10_000_000)
    .default(1200)
    .describe('Tool calls a minute for each subject of an organization, whatever keys and networks it comes with.'),
  AGENT_KEY_CALLS_PER_MINUTE: integer(1, 10_000_000)
    .default(1200)
    .describe('Tool calls a minute for each key of a subject, within the calls of the subject.'),
  ROOFTOP_CALLS_PER_MINUTE: integer(1, 10_000_000)
    .default(12_000)
    .describe(
      'Tool calls a minute about each rooftop, for all anonymous callers together and as many again for all agents. Calls that name no rooftop, or many, are counted once for the whole group.',
    ),
  AVAILABILITY_CHECKS_PER_MINUTE: integer(1, 1_000_000)
    .default(600)
    .describe('Questions a minute that each rooftop puts to its availability source; answers still valid cost none.'),
  AVAILABILITY_CREDENTIALS_DIR: z
    .string()
    .optional()
    .describe(
      'Folder with one file for each `credential` that an availability source names, its content sent as a bearer token. Default: DATA_DIR/secrets/availability.',
    ),
  ISSUER_CREDENTIALS_DIR: z
    .string()
    .optional()
    .describe(
      'Folder with one file for each `credential` that a trusted issuer names for introspection, its content the secret of the client. Default: DATA_DIR/secrets/issuers.',
    ),
  STAFF_OIDC_ISSUER: url(['http:', 'https:'])
    .optional()
    .describe(
      'Issuer identifier of the identity provider where staff sign in, as its tokens name it. Without it they sign in with one-time codes.',
    ),
  STAFF_OIDC_JWKS_URI: url(['http:', 'https:'])
    .optional()
    .describe('Where the keys of STAFF_OIDC_ISSUER are. Default: found by its metadata.'),
  STAFF_OIDC_AUDIENCE: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe('Audience that access tokens of STAFF_OIDC_ISSUER must have. Default: PUBLIC_URL/admin.'),
  STAFF_OIDC_GROUPS_CLAIM: z
    .string()
    .min(1)
    .max(200)
    .default('groups')
    .describe('Claim with the groups of a person: a list of texts, or one text.'),
  STAFF_OIDC_GROUP_ROLES: groupRoles.describe(
    'Comma-separated `group=role`; roles are admin, compliance and auditor. The first that a person is in counts.',
  ),
  STAFF_OIDC_ORGANIZATION: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,127}$/)
    .optional()
    .describe('Organization of everybody who signs in at STAFF_OIDC_ISSUER.'),
  STAFF_OIDC_ORGANIZATION_CLAIM: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'Claim that names the organization of a person, instead of STAFF_OIDC_ORGANIZATION. The identity provider is then trusted for all of them.',
    ),
  ADMIN_CALLS_PER_MINUTE: integer(1, 1_000_000).default(600).describe('Admin calls a minute for each network address.'),
  BAD_CREDENTIALS_BEFORE_PAUSE: integer(1, 1_000_000)
    .default(20)
    .describe(
      'Bad credentials in five minutes, from one network or for one key, after which further ones wait a minute. Credentials that were good from that network before go on.',
    ),
  MISSES_BEFORE_PAUSE: integer(1, 1_000_000)
    .default(200)
    .describe(
      'Answers in five minutes that nothing is there, for one anonymous network, one agent or one member of staff, after which it waits half a minute.',
    ),
  ADMIN_KEY_CALLS_PER_MINUTE: integer(1, 1_000_000)
    .default(600)
    .describe('Admin calls a minute for each key or person of staff, from whatever networks.'),
  VALIDATE_ANSWERS_EVERY: integer(1, 1_000_000)
    .default(1000)
    .describe(
      'Every how many answers one that was put together from checked records is checked whole again; 1 checks all.',
    ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Least severity that is logged.'),
  DRAIN_TIMEOUT_MS: integer(100, 300_000)
    .default(10_000)
    .describe('How long open requests may finish after a stop signal.'),
  FEED_FILES_DIR: z
    .string()
    .optional()
    .describe('Folder of the content-addressed store of received feed files. Default: DATA_DIR/files.'),
  AUDIT_EXPORTS_DIR: z
    .string()
    .optional()
    .describe('Folder of the files of audit exports, the same for all processes. Default: DATA_DIR/exports.'),
  RETENTION_BRAKE_PERCENT: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .default(50)
    .describe(
      'Percent of a table that a retention run may delete before it halts. People may approve more for one run, with a reason.',
    ),
  RETENTION_BUSY_SHARE_PERCENT: z.coerce
    .number()
    .int()
    .min(5)
    .max(100)
    .default(25)
    .describe(
      'Percent of the time that a retention run works while others use the database, in small batches. 100: it never makes room. With nobody else there it goes at full speed.',
    ),
  RESIDUAL_VACUUM_DAYS: integer(0, 3650)
    .optional()
    .describe(
      'Days after which your database has vacuumed every table, so that deleted rows are gone from its pages. Deletion records state it; without it they say that it is not known.',
    ),
  RESIDUAL_WAL_DAYS: integer(0, 3650)
    .optional()
    .describe('Days that archived segments of the write-ahead log are kept. As above.'),
  RESIDUAL_BACKUP_DAYS: integer(0, 3650)
    .optional()
    .describe('Days that the last backup with deleted rows is kept. As above.'),
  RESTORE_JOURNAL_DIR: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder of the journal that outlives a restore of the database: holds, releases, erasures, revocations. The same for all processes, on durable storage apart from the database. Without it holds and erasures are refused. Default in the local profile: DATA_DIR/restore-journal.',
    ),
  RESTORE_JOURNAL_KEY_FILE: z
    .string()
    .min(1)
    .optional()
    .describe(
      'File with the key of the restore journal: 32 bytes in base64. Keep a copy where neither the database nor the journal is. The local profile makes one under DATA_DIR/secrets.',
    ),
  RESTORE_JOURNAL_PREVIOUS_KEY_FILES: list.describe(
    'Comma-separated files of the keys of the restore journal before the last rotations: what they wrote is still read.',
  ),
  RESTORE_STATEMENTS_DIR: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder with signed states of audit logs that were kept outside (the state folder of a witness, a checkpoint a day), one to a file. At every start the restore journal is held against them: the service does not open on a journal that is older than one. Kept where neither the database nor the journal is.',
    ),
  FEED_WATCH_ROOT: z
    .string()
    .optional()
    .describe('Folder below which watched feed folders lie. Default: DATA_DIR/inbox.'),
  EGRESS_ALLOWED_HOSTS: list.describe(
    'Comma-separated host:port values that the egress guard lets through although they resolve to a private address. Local profile only.',
  ),
  EGRESS_CA_FILE: z
    .string()
    .optional()
    .describe(
      'PEM file with certificate authorities beside the usual ones, for availability sources and authorization servers inside a dealer group.',
    ),
  READ_MODEL_CACHE_BYTES: integer(1_048_576, 8_589_934_592)
    .default(67_108_864)
    .describe('Memory for cached search results of each organization.'),
  READ_MODEL_ORGANIZATIONS: integer(1, 10_000)
    .default(32)
    .describe('Organizations whose inventory is held in memory at the same time; the least recently asked is dropped.'),
  MCP_ERRORS: z
    .enum(['structured', 'text'])
    .default('structured')
    .describe(
      '`structured`: errors of tools are structured content and text, as DAP has them. `text`: text alone, for clients that hold structured content of errors against the output schema.',
    ),
  MCP_DISPATCH: z
    .enum(['fast', 'sdk'])
    .default('fast')
    .describe(
      'Who answers MCP requests: our own dispatch, or the handler of the official SDK, which costs several times as much. Streams are always answered by the SDK.',
    ),
  REQUEST_BODY_TIMEOUT_MS: integer(100, 600_000)
    .default(30_000)
    .describe('How long a JSON request body may take to arrive; feed files have ten minutes.'),
  MAX_REQUEST_BYTES: integer(1024, 16_777_216)
    .default(LIMITS.requestBodyBytes.value)
    .describe('Largest JSON request body.'),
});

export type Settings = Readonly<z.infer<typeof settingsSchema>>;
export const SETTINGS = Symbol('Settings');
