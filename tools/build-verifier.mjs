// `npm run build:verifier`: the offline check of exports as one file without packages, for those who do not install the product.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { ROOT } from './prepare.mjs';

const NAME = 'forecourt-audit-check.mjs';

/** @param {string} folder where to put it  @returns {Promise<string>} the file */
export async function buildVerifier(folder) {
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'warn',
    ssr: { noExternal: true },
    build: {
      ssr: join(ROOT, 'src/command/audit-check-main.ts'),
      outDir: folder,
      emptyOutDir: false,
      target: 'node20',
      minify: false,
      rollupOptions: { output: { entryFileNames: NAME, format: 'es' } },
    },
  });
  return join(folder, NAME);
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  console.log(await buildVerifier(join(ROOT, 'dist', 'verifier')));
