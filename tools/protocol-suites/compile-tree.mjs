// Compiles `src` and the conformance fixtures from the present source, apart from the build in `dist`.
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { transformSync } from '@swc/core';

const OPTIONS = {
  module: { type: 'es6' },
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
};

/** @returns the compiled folder of `test/conformance`, with the entries `serve.js` and `serve-everything.js`. */
export function compileTree(root) {
  const target = join(root, 'node_modules/.cache/forecourt-protocol-suites');
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const shared of ['package.json', 'prisma']) symlinkSync(join(root, shared), join(target, shared));
  for (const folder of ['src', 'test/conformance']) compileFolder(join(root, folder), join(target, folder));
  return join(target, 'test/conformance');
}

function compileFolder(from, to) {
  const sources = readdirSync(from, { recursive: true }).filter((f) => f.endsWith('.ts') && !f.endsWith('.spec.ts'));
  for (const file of sources) {
    const output = join(to, file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(output), { recursive: true });
    writeFileSync(output, transformSync(readFileSync(join(from, file), 'utf8'), OPTIONS).code);
  }
}
