import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';
import { escapeHtml, page, pageHeaders } from '../domain/page.js';

/** What a browser shows of an error that must not be sent back to the client. */
export function renderError(ctx: KoaContextWithOIDC, { error, error_description: description }: ErrorOut): void {
  const said = description === undefined ? '' : `<p>${escapeHtml(description)}</p>`;
  ctx.set({ ...pageHeaders() });
  ctx.body = page('This request cannot go on', `<p><code>${escapeHtml(error)}</code></p>${said}`);
}
