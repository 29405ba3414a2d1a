import { hash } from 'node:crypto';

const STYLE =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1rem;color:#1c1c1c;background:#fff}' +
  'h1{font-size:1.4rem}label{display:block;font-weight:600;margin-top:1rem}' +
  'input{font:inherit;width:100%;padding:.5rem;border:1px solid #767676;border-radius:.25rem;box-sizing:border-box}' +
  'button{font:inherit;margin:1.5rem .75rem 0 0;padding:.5rem 1.25rem;border:1px solid #1f4b99;border-radius:.25rem;background:#1f4b99;color:#fff}' +
  'button.plain{background:#fff;color:#1f4b99}:focus-visible{outline:3px solid #e08a00;outline-offset:2px}' +
  'dt{font-weight:600;margin-top:.5rem}dd{margin:0;overflow-wrap:anywhere}.problem{border-left:4px solid #b00020;padding-left:.75rem}';
const STYLE_SOURCE = `'sha256-${hash('sha256', STYLE, 'base64')}'`;

/** For text and for quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A whole page; `body` is HTML. It needs no script, and the policy allows none. */
export function page(title: string, body: string): string {
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>` +
    `<meta name="viewport" content="width=device-width,initial-scale=1"><style>${STYLE}</style></head>` +
    `<body><main><h1>${escapeHtml(title)}</h1>${body}</main></body></html>`
  );
}

/**
 * Nothing is loaded, framed or kept. Browsers hold the way back to the client, which is a redirect after a form, against
 * `form-action` too, so that one place is named.
 */
export function pageHeaders(redirectUri?: string): Readonly<Record<string, string>> {
  const back = redirectUri === undefined ? '' : ` ${sourceOf(new URL(redirectUri))}`;
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src ${STYLE_SOURCE}; form-action 'self'${back}; frame-ancestors 'none'; base-uri 'none'`,
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    // Not no-referrer: browsers would then send forms with `Origin: null`, which the edge refuses.
    'referrer-policy': 'same-origin',
  };
}

const sourceOf = (url: URL): string => (url.origin === 'null' ? url.protocol : url.origin);
