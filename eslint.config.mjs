import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/**', 'coverage/**', 'src/platform/database/generated/**', 'bin/**', 'tools/**', '**/*.mjs', '.dependency-cruiser.cjs', 'prisma.config.ts'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { project: './tsconfig.check.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/consistent-type-imports': 'off', // rewriting to `import type` removes the metadata that injection reads
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off', // Nest types its option bags as classes and asks for literals
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 50, skipBlankLines: true, skipComments: true }],
      'no-restricted-properties': ['error', { object: 'process', property: 'env', message: 'Only platform/config reads the environment.' }],
      'no-restricted-syntax': ['error', { selector: 'ExportAllDeclaration', message: 'Name what you export.' }],
    },
  },
  { files: ['src/platform/config/**', 'test/**'], rules: { 'no-restricted-properties': 'off' } },
  {
    files: ['**/*.spec.ts', 'test/**'],
    rules: { 'max-lines-per-function': 'off', '@typescript-eslint/no-non-null-assertion': 'off', '@typescript-eslint/no-unsafe-assignment': 'off', '@typescript-eslint/no-unsafe-member-access': 'off' },
  },
);
