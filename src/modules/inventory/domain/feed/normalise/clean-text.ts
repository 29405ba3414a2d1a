import { Parser } from 'htmlparser2';

/**
 * What makes a text need more than trimming: markup, entities, control and invisible characters, runs of white space. Every
 * cell comes by here, so it is one class without the Unicode flag: of what lies beyond the first plane the first half counts.
 */
const SUSPECT =
  /[<&\u0000-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud82f\ud834\udb40-\udb43]| {2}/;
const MARKUP = /<[a-z!/?]|&(?:[a-z]|#\d|#x)/i;
/**
 * Controls, and everything that is drawn as nothing: with tags and variation selectors a whole letter to a model can be
 * written where people see a car (UAX #44, Default_Ignorable_Code_Point).
 */
const INVISIBLE =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufff9-\ufffb\p{Default_Ignorable_Code_Point}]/gu;
/** Text that was escaped more than once is unwrapped this often. */
const PASSES = 3;
/** What opens a tag even after the last pass. */
const OPENING = /<+(?=[a-z!/?])/gi;
const INLINE = new Set([
  'a',
  'abbr',
  'b',
  'em',
  'font',
  'i',
  'mark',
  's',
  'small',
  'span',
  'strong',
  'sub',
  'sup',
  'u',
]);

/**
 * Plain text of a cell: tags removed, entities decoded, control and invisible characters dropped, white space collapsed.
 * Never interpreted further (DAP security profile §8).
 */
export function cleanText(raw: string): string {
  const trimmed = raw.trim();
  return SUSPECT.test(trimmed) ? scrub(trimmed) : trimmed;
}

/** A text cut to a number of characters, never in the middle of one. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const cut = text.slice(0, limit);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}

function scrub(raw: string): string {
  // Invisible characters go before each look at the markup: one inside a tag hides it, and taking it out later would make the tag.
  let text = raw.replace(INVISIBLE, '');
  for (let pass = 0; pass < PASSES && MARKUP.test(text); pass++) text = textOfMarkup(text).replace(INVISIBLE, '');
  return text.replace(OPENING, '').replace(/\s+/g, ' ').trim();
}

function textOfMarkup(markup: string): string {
  let text = '';
  let hidden = 0;
  const isHidden = (name: string): boolean => name === 'script' || name === 'style';
  const parser = new Parser({
    onopentagname(name) {
      if (isHidden(name)) hidden += 1;
      if (!INLINE.has(name)) text += ' ';
    },
    onclosetag(name) {
      if (isHidden(name)) hidden -= 1;
      if (!INLINE.has(name)) text += ' ';
    },
    ontext(part) {
      if (hidden === 0) text += part;
    },
  });
  parser.end(markup);
  return text;
}
