/** A text of a source within the limit of its member, counted in characters as JSON Schema does; a word in its place when it is empty. */
export function boundedText(text: string, limit: number, otherwise: string): string {
  const characters = text.length > limit ? Array.from(text).slice(0, limit).join('') : text;
  return characters === '' ? otherwise : characters;
}
