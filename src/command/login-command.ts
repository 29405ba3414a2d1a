import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { commandSettings } from './command-settings.js';
import { CommandError, EXIT } from './exit-codes.js';
import type { Output } from './output.js';
import { signInOverHttp } from './staff-sign-in.js';

export interface LoginOptions {
  readonly person: string;
  readonly code?: string;
  readonly url: string;
  readonly out?: string;
}

/** `login`: a token of a person for the admin API, in a file. It is never written to the terminal. */
export async function login(options: LoginOptions, output: Output): Promise<number> {
  if (!/^[a-z0-9][a-z0-9._-]{0,127}$/.test(options.person))
    throw new CommandError('--person takes a person id', EXIT.usage);
  if (!URL.canParse(options.url)) throw new CommandError('--url takes an address', EXIT.usage);
  const file = options.out ?? join(commandSettings().DATA_DIR, 'secrets', `staff-${options.person}.token`);
  const code = options.code ?? (await askForCode());
  const { accessToken, expiresIn } = await signInOverHttp(options.url.replace(/\/$/, ''), options.person, code);
  await keep(file, accessToken);
  const shown = relative(process.cwd(), file);
  const minutes = Math.floor(expiresIn / 60);
  output.result(
    `Signed in for ${minutes} minutes. The token is in ${shown}:\n  curl -H "authorization: Bearer $(cat ${shown})" ${options.url}/admin/v1/…`,
    { person_id: options.person, token_file: file, expires_in: expiresIn },
  );
  return EXIT.done;
}

async function askForCode(): Promise<string> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await asking.question('One-time code: ')).trim();
  } finally {
    asking.close();
  }
}

/** Whole or not at all, and never readable for others, also where a file was there before. */
async function keep(file: string, token: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, `${token}\n`, { mode: 0o600, flag: 'wx' });
  await rename(draft, file);
}
