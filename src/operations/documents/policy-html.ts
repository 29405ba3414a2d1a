import type { PolicyPage } from './policy-page.js';

/** The policy for people. */
export function policyHtml(page: PolicyPage, groupName: string): string {
  const name = escapeHtml(groupName);
  const statements = page.statements.map(
    (s) => `<h2 id="${s.id}">${s.id}${s.enforced ? '' : ' (not enforced yet)'}</h2><p>${escapeHtml(s.text)}</p>`,
  );
  return [
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>Policy of ${name}</title>`,
    `<h1>${name}: policy ${page.policy_id}, version ${page.version}</h1>`,
    ...statements,
    completeness(page),
    `<h2 id="ceilings">Retention ceilings</h2><p>${escapeHtml(retentionPolicy(page))}</p>`,
    table(
      ['category', 'what it is', 'ceiling', 'deletion'],
      page.retention.map((r) => [r.category, r.description, r.ceiling, r.deletion]),
    ),
    '</html>',
  ].join('');
}

function retentionPolicy({ retention_policy: policy }: PolicyPage): string {
  return policy === null
    ? 'No retention policy is active.'
    : `${policy.name} (${policy.policy_id}), version ${policy.version}, active since ${policy.activated_at}, SHA-256 ${policy.content_hash}.`;
}

function completeness({ completeness_formula: formula }: PolicyPage): string {
  const bands = Object.entries(formula.band.points).map(([band, points]) => `${band} ${points}`);
  const rows = [
    ...formula.parts.map((part) => [part.component, part.rule, String(part.points)]),
    [formula.band.component, formula.band.rule, bands.join(', ')],
  ];
  return `<h2 id="completeness">Completeness of a price disclosure, formula ${formula.version}</h2><p>${escapeHtml(formula.summary)}</p>${table(['component', 'counts when', 'points'], rows)}`;
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[], tag: 'th' | 'td'): string =>
    `<tr>${cells.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('')}</tr>`;
  return `<table>${line(heads, 'th')}${rows.map((row) => line(row, 'td')).join('')}</table>`;
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
