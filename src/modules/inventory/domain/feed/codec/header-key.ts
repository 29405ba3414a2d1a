/** What two column names have in common when they mean the same: letters and digits, without case and punctuation. */
export function headerKey(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
