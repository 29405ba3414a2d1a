/** Token of the base URL that callers use, without a trailing slash. */
export const PUBLIC_URL = Symbol('PublicUrl');
