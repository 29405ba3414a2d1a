import type { WaitingRequest } from '../app/authorize-person.js';
import type { ConsentRefusal } from '../domain/consent.js';
import { escapeHtml, page } from '../domain/page.js';

const SCOPE_WORDS: Readonly<Record<string, string>> = {
  'dealeragent:inventory:read': 'verify that a vehicle is available',
  'dealeragent:pricing:read': 'read price disclosures',
  'forecourt:admin': 'administer in your name, as far as your role goes',
};
const REFUSALS: Readonly<Record<ConsentRefusal, string>> = {
  other_organization: 'You work for another dealer group than the one that this client asks for.',
  role_not_admin: 'Only administrators of the dealer group may let a client in.',
};

/** Asks who is there. Nothing that the client sent is filled in. */
export function signInPage(waiting: WaitingRequest, path: string, failed: boolean): string {
  const problem = failed
    ? '<p class="problem" role="alert">That person and code do not belong together. Each code works once.</p>'
    : '';
  return page(
    'Sign in',
    `${problem}<p>${asker(waiting)} asks for access to ${target(waiting)}.</p>` +
      `<form method="post" action="${path}/sign-in">` +
      '<label for="person">Person id</label><input id="person" name="person" required maxlength="128" autocomplete="username" autocapitalize="none" autofocus>' +
      '<label for="code">One-time code</label><input id="code" name="code" required maxlength="64" autocomplete="one-time-code" autocapitalize="none">' +
      `<button>Sign in</button></form>${refuseForm(path)}`,
  );
}

/** Says whom is let in, where to, and where the browser goes next. */
export function consentPage(waiting: WaitingRequest, path: string): string {
  const { pending, refusal } = waiting;
  const facts =
    `<dl><dt>Client</dt><dd>${asker(waiting)}</dd><dt>Client id</dt><dd><code>${escapeHtml(pending.clientId)}</code></dd>` +
    `<dt>May reach</dt><dd>${target(waiting)}<br><code>${escapeHtml(pending.resource)}</code></dd>` +
    `<dt>May do</dt><dd>${pending.scopes.map(scopeWords).join('<br>')}</dd>` +
    `<dt>You are sent back to</dt><dd><code>${escapeHtml(pending.redirectUri)}</code></dd></dl>`;
  if (refusal !== undefined)
    return page(
      'You cannot allow this',
      `<p class="problem" role="alert">${REFUSALS[refusal]}</p>${facts}${refuseForm(path)}`,
    );
  return page(
    'Allow access?',
    `<p>${escapeHtml(waiting.person?.name ?? '')}, nobody has checked what this client says about itself.</p>${facts}` +
      `<form method="post" action="${path}/consent"><button>Allow</button></form>${refuseForm(path)}`,
  );
}

const refuseForm = (path: string): string =>
  `<form method="post" action="${path}/refuse"><button class="plain">Refuse</button></form>`;

const scopeWords = (scope: string): string =>
  `${escapeHtml(SCOPE_WORDS[scope] ?? 'use a scope')} (<code>${escapeHtml(scope)}</code>)`;

function asker({ pending }: WaitingRequest): string {
  return pending.clientName === undefined ? 'A client without a name' : `«${escapeHtml(pending.clientName)}»`;
}

function target({ groupName, resource }: WaitingRequest): string {
  return resource.kind === 'admin' ? 'the administration of this service' : escapeHtml(groupName ?? '');
}
