import swc from 'unplugin-swc';
import { defineConfig } from 'vitest/config';

// swc, because Nest's injection reads decorator metadata, which esbuild does not emit.
const plugins = [
  swc.vite({
    module: { type: 'es6' },
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    },
  }),
];

// What is waited for comes, or it does not: the default of one second measures the machine, and what is remembered longer fails.
const patient = { poll: { timeout: 20_000 } };

export default defineConfig({
  test: {
    projects: [
      {
        plugins,
        test: {
          name: 'unit',
          include: ['src/**/*.spec.ts', 'tools/**/*.spec.ts'],
          environment: 'node',
          testTimeout: 30_000,
          expect: patient,
        },
      },
      {
        plugins,
        test: {
          name: 'system',
          include: ['test/{architecture,contract,conformance,integration,e2e}/**/*.spec.ts'],
          environment: 'node',
          globalSetup: ['test/support/global-setup.ts'],
          setupFiles: ['reflect-metadata'],
          testTimeout: 180_000,
          hookTimeout: 240_000,
          expect: patient,
          fileParallelism: false,
        },
      },
    ],
  },
});
