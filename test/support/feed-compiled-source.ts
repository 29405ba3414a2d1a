import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
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

/**
 * Compiles `src` into a folder of its own, so that a test can start real processes and kill them.
 * @returns the folder with the compiled modules.
 */
export async function compileSource(): Promise<{ root: string; remove: () => Promise<void> }> {
  const root = join(REPOSITORY, 'node_modules/.cache', `forecourt-test-${process.pid}`);
  await rm(root, { recursive: true, force: true });
  await mkdir(root, { recursive: true });
  await writeFile(join(root, 'package.json'), '{"type":"module"}');
  const entries = await readdir(join(REPOSITORY, 'src'), { recursive: true });
  const files = entries.filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'));
  for (const file of files) {
    const target = join(root, file.replace(/\.ts$/, '.js'));
    const { code } = await transform(await readFile(join(REPOSITORY, 'src', file), 'utf8'), OPTIONS);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, code);
  }
  return { root, remove: () => rm(root, { recursive: true, force: true }) };
}
