/** The direction rules of ARCHITECTURE.md. Type-only imports count. */
module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-orphans', severity: 'error', from: { orphan: true, pathNot: ['\\.spec\\.ts$', 'src/main\\.ts$', 'generated/'] }, to: {} },
    { name: 'kernel-is-pure', severity: 'error', from: { path: '^src/kernel' }, to: { path: '^src/(?!kernel)' } },
    { name: 'platform-knows-only-kernel', severity: 'error', from: { path: '^src/platform' }, to: { path: '^src/(?!kernel|platform)' } },
    { name: 'domain-is-pure', severity: 'error', from: { path: '^src/modules/([^/]+)/domain/' }, to: { path: '^src/', pathNot: ['^src/kernel', '^src/modules/$1/domain'] } },
    { name: 'domain-uses-no-frameworks', severity: 'error', from: { path: '^src/(kernel|modules/[^/]+/domain)' }, to: { path: 'node_modules/(@nestjs|@prisma|pg|bullmq|fastify)/' } },
    { name: 'app-uses-domain-and-kernel', severity: 'error', from: { path: '^src/modules/([^/]+)/app/' }, to: { path: '^src/', pathNot: ['^src/kernel', '^src/modules/$1/(app|domain)', '^src/modules/[^/]+/index\\.ts$'] } },
    { name: 'infra-imported-by-its-module-file-only', severity: 'error', from: { path: '^src/', pathNot: ['^src/modules/([^/]+)/infra', '\\.module\\.ts$', '\\.spec\\.ts$'] }, to: { path: '^src/modules/[^/]+/infra' } },
    { name: 'http-and-jobs-call-use-cases', severity: 'error', from: { path: '^src/modules/([^/]+)/(http|jobs)' }, to: { path: '^src/', pathNot: ['^src/(kernel|platform)', '^src/modules/$1/(app|domain|http|jobs)', '^src/modules/[^/]+/index\\.ts$'] } },
    { name: 'modules-meet-at-front-doors', severity: 'error', from: { path: '^src/modules/([^/]+)/' }, to: { path: '^src/modules/(?!$1/)[^/]+/(?!index\\.ts$)' } },
    { name: 'modules-know-no-surface', severity: 'error', from: { path: '^src/modules' }, to: { path: '^src/(surfaces|operations)' } },
    { name: 'operations-use-front-doors', severity: 'error', from: { path: '^src/operations' }, to: { path: '^src/(surfaces|platform|modules/[^/]+/(?!index\\.ts$))' } },
    { name: 'surfaces-never-meet', severity: 'error', from: { path: '^src/surfaces/([^/]+)/' }, to: { path: '^src/surfaces/(?!$1/)' } },
    { name: 'surfaces-use-front-doors', severity: 'error', from: { path: '^src/surfaces' }, to: { path: '^src/modules/[^/]+/(?!index\\.ts$)' } },
    { name: 'nobody-imports-a-composition-root', severity: 'error', from: { pathNot: '^src/(main|[a-z-]+\\.module|command/.*|process/.*)\\.ts$' }, to: { path: '^src/(main|[a-z-]+\\.module)\\.ts$' } },
  ],
  options: { tsConfig: { fileName: 'tsconfig.json' }, tsPreCompilationDeps: true, doNotFollow: { path: 'node_modules' }, exclude: { path: 'src/platform/database/generated' } },
};
