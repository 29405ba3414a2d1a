import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const OPTIONS = {
  module: { type: 'es6' as const },
  jsc: {
    target: 'es2022' as const,
    parser: { syntax: 'typescript' as const, decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
};

/** The product as it would be installed, compiled from the present source, apart from the build in `dist`. */
export interface CompiledService {
  /** `node <main> api|worker|migrate|all`. */
  readonly main: string;
  /** `node <command> feed check …`. */
  readonly command: string;
  remove(): Promise<void>;
}

export async function compileService(): Promise<CompiledService> {
  const root = join(REPOSITORY, 'node_modules/.cache', `forecourt-e2e-${process.pid}`);
  const dist = join(root, 'dist');
  await rm(root, { recursive: true, force: true });
  await mkdir(dist, { recursive: true });
  for (const shared of ['package.json', 'prisma']) await symlink(join(REPOSITORY, shared), join(root, shared));
  const entries = await readdir(join(REPOSITORY, 'src'), { recursive: true });
  for (const file of entries.filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))) {
    const target = join(dist, file.replace(/\.ts$/, '.js'));
    const { code } = await transform(await readFile(join(REPOSITORY, 'src', file), 'utf8'), OPTIONS);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, code);
  }
  return {
    main: join(dist, 'main.js'),
    command: join(dist, 'command/main.js'),
    remove: () => rm(root, { recursive: true, force: true }),
  };
}
