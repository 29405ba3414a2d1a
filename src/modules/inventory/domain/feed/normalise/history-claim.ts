/**
 * Praise that no source can know: a report without events is not a car without them (DAP-UV-015). Sources say such things in
 * free text only.
 */
const CLAIMS = [
  /\b(?:accident|incident|damage|collision|crash)s?[\s-]*free\b/i,
  /\b(?:no|zero|never|without)(?:\s+(?:any|an?|known|prior|previous|reported|had|been|in))*\s+(?:accident|crash|collision|damage|wreck)/i,
  /\bclean[\s-]+(?:car[\s-]?fax|auto[\s-]?check|title|history|record|report)/i,
];
const WITHHELD = 'Text withheld: it claims more than a source can know.';

/** A free text as it may be published, and whether it had to be replaced. */
export function historyClaimWithheld(text: string): { readonly text: string; readonly withheld: boolean } {
  const withheld = CLAIMS.some((claim) => claim.test(text));
  return { text: withheld ? WITHHELD : text, withheld };
}
