/** What two column names have in common when they mean the same: letters and digits, without case and punctuation. */
export function headerKey(name: string): string {
  if (/^[a-z0-9]*$/.test(name)) return name;
  if (/^[ -~]*$/.test(name)) return name.toLowerCase().replace(/[^a-z0-9]/g, '');
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
