import { isIP } from 'node:net';
import type { Settings } from './settings.js';
import { settingsSchema } from './settings.js';

/** One problem of the configuration and how to fix it. Never holds a value: values may be secrets. */
export interface SettingProblem {
  readonly name: string;
  readonly problem: string;
}

/** Thrown at boot when the configuration cannot be used; lists every problem at once. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  constructor(readonly problems: readonly SettingProblem[]) {
    super(
      `The configuration has ${problems.length} problem(s):\n${problems.map((p) => `  - ${p.name}: ${p.problem}`).join('\n')}\nSee docs/reference/config.md.`,
    );
  }
}

/** Read by `forecourt stdio` alone; a shell that has it may start the service, too. */
export const COMMAND_TOKEN = 'FORECOURT_TOKEN';

/** The environment of the process, for callers that put defaults of their own under it. */
export function readEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/**
 * Reads and checks the settings. Empty variables count as absent.
 * @throws SettingsError with all problems at once.
 */
export function loadSettings(env: Readonly<Record<string, string | undefined>> = readEnvironment()): Settings {
  const known = Object.keys(settingsSchema.shape);
  const given = new Map(
    known.map((name) => [name, env[name]] as const).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = settingsSchema.safeParse(Object.fromEntries(given));
  const problems: SettingProblem[] = parsed.success
    ? []
    : parsed.error.issues.map((issue) => ({ name: issue.path.join('.'), problem: issue.message }));
  for (const name of Object.keys(env)) {
    if (name.startsWith('FORECOURT_') && !known.includes(name) && name !== COMMAND_TOKEN)
      problems.push({ name, problem: 'is not a setting of this version; remove it or correct its name' });
  }
  if (parsed.success) problems.push(...contradictions(parsed.data));
  if (problems.length > 0 || !parsed.success) throw new SettingsError(problems);
  return parsed.data;
}

/** Settings that are each fine and wrong together. There is no guessing from the environment's name (field failure 20). */
function contradictions(s: Settings): SettingProblem[] {
  const problems: SettingProblem[] = [];
  const local = s.FORECOURT_PROFILE === 'local';
  if (s.FORECOURT_DEMO && !local) problems.push({ name: 'FORECOURT_DEMO', problem: 'needs FORECOURT_PROFILE=local' });
  if (s.FORECOURT_DEMO && !isLoopback(s.HOST))
    problems.push({ name: 'FORECOURT_DEMO', problem: 'refuses a HOST that others can reach; use 127.0.0.1' });
  if (s.EGRESS_ALLOWED_HOSTS.length > 0 && !local)
    problems.push({ name: 'EGRESS_ALLOWED_HOSTS', problem: 'is for the local profile only' });
  if (!local && s.DATABASE_URL === undefined)
    problems.push({ name: 'DATABASE_URL', problem: 'is required outside the local profile' });
  if (!local && s.FORECOURT_SECRET === undefined)
    problems.push({
      name: 'FORECOURT_SECRET',
      problem: 'is required outside the local profile; generate one with: openssl rand -base64 48',
    });
  problems.push(...staffSignInProblems(s));
  if (s.PUBLIC_URL?.endsWith('/') === true) problems.push({ name: 'PUBLIC_URL', problem: 'must not end with a slash' });
  if (s.AUTHORIZATION_SERVER === true && !isSafeForTokens(s))
    problems.push({
      name: 'AUTHORIZATION_SERVER',
      problem: 'needs a PUBLIC_URL that is https or on this machine: codes and tokens would travel in clear',
    });
  if (s.AUTHORIZATION_SERVER === true && !local && s.AUTHORIZATION_SIGNING_KEY_FILE === undefined)
    problems.push({
      name: 'AUTHORIZATION_SIGNING_KEY_FILE',
      problem:
        'is required; generate one with: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out FILE',
    });
  for (const origin of s.ALLOWED_ORIGINS) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin)
      problems.push({ name: 'ALLOWED_ORIGINS', problem: 'every entry must be an origin such as https://app.example' });
  }
  return problems;
}

/** Whether this process is an authorization server: as it was told, else in the local profile where tokens are safe. */
export function isAuthorizationServer(s: Settings): boolean {
  return s.AUTHORIZATION_SERVER ?? (s.FORECOURT_PROFILE === 'local' && isSafeForTokens(s));
}

/** TLS, or a connection that does not leave the machine (OAuth 2.1 §1.5). */
function isSafeForTokens(s: Settings): boolean {
  if (s.PUBLIC_URL === undefined) return isLoopback(s.HOST);
  const { protocol, hostname } = new URL(s.PUBLIC_URL);
  return protocol === 'https:' || isLoopback(hostname.replace(/^\[|\]$/g, ''));
}

/** True for addresses that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Staff of an outside identity provider need an organization and a role, or nobody gets in. */
function staffSignInProblems(s: Settings): SettingProblem[] {
  const name = 'STAFF_OIDC_ISSUER';
  if (s.STAFF_OIDC_ISSUER === undefined) return [];
  const problems: SettingProblem[] = [];
  if (s.FORECOURT_PROFILE !== 'local' && !s.STAFF_OIDC_ISSUER.startsWith('https:'))
    problems.push({ name, problem: 'must be an https URL outside the local profile' });
  if (s.STAFF_OIDC_GROUP_ROLES.length === 0) problems.push({ name, problem: 'needs STAFF_OIDC_GROUP_ROLES' });
  if ((s.STAFF_OIDC_ORGANIZATION === undefined) === (s.STAFF_OIDC_ORGANIZATION_CLAIM === undefined))
    problems.push({ name, problem: 'needs either STAFF_OIDC_ORGANIZATION or STAFF_OIDC_ORGANIZATION_CLAIM' });
  return problems;
}
