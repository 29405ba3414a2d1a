import type { LoginFacts } from './connection.js';

/**
 * Says in an operator's words what is wrong with a login, or undefined. Superusers and BYPASSRLS logins pass every
 * row-level security policy as soon as they leave their role, so one forgotten SET ROLE would open all tenants
 * (decision record 0005).
 */
export function excessivePower(facts: LoginFacts): string | undefined {
  if (!facts.superuser && !facts.bypassesRowSecurity) return undefined;
  const power = facts.superuser ? 'a superuser' : 'allowed to bypass row-level security';
  return `the database login "${facts.login}" is ${power}; use one that is NOSUPERUSER NOBYPASSRLS and a member of forecourt_app (setting DATABASE_URL)`;
}
