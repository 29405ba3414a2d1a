import { spawnSync } from 'node:child_process';
import { chmod, chown, cp, mkdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How to start a program that refuses to run as root. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

/** Turns a command line into one that PostgreSQL accepts. `note` says what was done, where it is not obvious. */
export interface Unprivileged {
  readonly note?: string;
  readonly root: string;
  readonly dataDir: string;
  launch(command: string, args: readonly string[]): Launch;
}

const FALLBACK_UID = 65_534;

/**
 * PostgreSQL refuses root. As root, the user id is re-mapped in a user namespace, which also works below a home that
 * nobody else can read; where namespaces are not allowed, programs and data go to a folder of an unprivileged user id.
 * No system user is created (decision record 0012).
 */
export async function findUnprivileged(packageRoot: string, dataDir: string): Promise<Unprivileged> {
  if (process.getuid?.() !== 0) return { root: packageRoot, dataDir, launch: (command, args) => ({ command, args }) };
  if (
    spawnSync('unshare', ['--user', '--map-user=1000', '--map-group=1000', 'true'], { stdio: 'ignore' }).status === 0
  ) {
    return {
      root: packageRoot,
      dataDir,
      launch: (command, args) => ({
        command: 'unshare',
        args: ['--user', '--map-user=1000', '--map-group=1000', command, ...args],
      }),
    };
  }
  return copyForNobody(packageRoot, dataDir);
}

/** Programs are copied once; data lives beside them, because the unprivileged id may not enter a private home. */
async function copyForNobody(packageRoot: string, wanted: string): Promise<Unprivileged> {
  const reachable = await canBeEntered(wanted);
  const base = reachable
    ? wanted
    : join(tmpdir(), `forecourt-postgres-${Buffer.from(wanted).toString('base64url').slice(-40)}`);
  const root = join(base, 'programs');
  await mkdir(base, { recursive: true });
  if (
    !(await stat(join(root, 'native')).then(
      () => true,
      () => false,
    ))
  )
    await cp(packageRoot, root, { recursive: true, verbatimSymlinks: true });
  const dataDir = join(base, 'data');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await chmod(base, 0o755);
  await chown(dataDir, FALLBACK_UID, FALLBACK_UID);
  return {
    root,
    dataDir,
    note: `running as root without user namespaces: PostgreSQL runs as uid ${FALLBACK_UID}, its data is in ${dataDir}`,
    launch: (command, args) => ({ command, args, uid: FALLBACK_UID, gid: FALLBACK_UID }),
  };
}

async function canBeEntered(path: string): Promise<boolean> {
  const parts = path.split('/');
  for (let i = 2; i < parts.length; i++) {
    const info = await stat(parts.slice(0, i).join('/')).catch(() => undefined);
    if (info !== undefined && (info.mode & 0o001) === 0) return false;
  }
  return true;
}
