/** At commas, but only where another URL (or the end) follows: image hosts use commas inside paths. */
const COMMA = /,\s*(?=[a-z][a-z0-9+.-]*:|\/\/|,|$)/i;
const SEMICOLON = /;\s*(?=[a-z][a-z0-9+.-]*:|\/\/|;|$)/i;
const PIPE = /\|/;

/** How photo lists of unknown make are split: the first of these that splits a cell. */
export const ANY_PHOTO_SEPARATOR: readonly RegExp[] = [PIPE, /\n/, SEMICOLON, COMMA];
export const COMMA_LIST = /,/;
export const LINE_LIST = /\n/;
