/** @returns the file */
export function buildVerifier(folder: string): Promise<string>;
