import type { Type } from '@nestjs/common';
import { beforeAll, describe, expect, it } from 'vitest';
import { KEY_ROLES } from '../../src/kernel/caller.js';
import { RETENTION_CATEGORIES } from '../../src/kernel/retention/retention-categories.js';
import { PageQuery } from '../../src/platform/http/page-query.js';
import type { ApiRoute } from './api-routes.js';
import { readApiRoutes } from './api-routes.js';

let routes: readonly ApiRoute[] = [];
beforeAll(async () => {
  routes = await readApiRoutes();
});

const named = (list: readonly ApiRoute[]): readonly string[] => list.map((r) => `${r.route} (${r.handler})`);

describe('Every route of the API', () => {
  it('is found: the list below is not empty by mistake', () => {
    const paths = routes.map((r) => r.route.split(' ')[1]);
    expect(paths).toEqual(
      expect.arrayContaining(['/health/live', '/health/ready', '/mcp', '/organizations/:organization_id/mcp']),
    );
  });

  it('declares who may come in', () => {
    expect(named(routes.filter((r) => r.access === undefined))).toEqual([]);
  });

  it('says why, where it is public, and names at least one role, where it needs a key', () => {
    const vague = routes.filter(({ access }) => {
      if (access?.kind === 'public') return access.why.length < 20;
      return (
        access?.kind === 'key' && (access.roles.length === 0 || access.roles.some((role) => !KEY_ROLES.includes(role)))
      );
    });
    expect(named(vague)).toEqual([]);
  });

  it('names its operation, audit class and retention category, unless a protocol surface does so for each call', () => {
    const silent = routes.filter(({ access, operation }) => {
      if (access?.kind === 'surface') return false;
      return (
        operation === undefined ||
        (operation.retention !== 'none' && !(operation.retention in RETENTION_CATEGORIES)) ||
        !/^[a-z_]+\.[a-z_]+(?:\.[a-z_]+)*$/.test(operation.name)
      );
    });
    expect(named(silent)).toEqual([]);
  });

  it('needs a key below /admin, and is audited there', () => {
    const admin = routes.filter((r) => / \/admin(?:\/|$)/.test(r.route));
    expect(
      named(admin.filter((r) => r.access?.kind !== 'key' || r.operation === undefined || r.operation.audit === 'none')),
    ).toEqual([]);
  });

  it('is audited as a change where it may change something', () => {
    const changing = routes.filter((r) => r.access?.kind === 'key' && !r.route.startsWith('GET '));
    expect(named(changing.filter((r) => r.operation?.audit !== 'change'))).toEqual([]);
  });

  it('lies under /admin or belongs to no key: keys open nothing else', () => {
    expect(named(routes.filter((r) => r.access?.kind === 'key' && !/ \/(?:admin|ops)\//.test(r.route)))).toEqual([]);
  });

  it('has an operation name of its own', () => {
    const names = routes.flatMap((r) => (r.operation === undefined ? [] : [`${r.operation.name} ${r.handler}`]));
    const owners = new Map<string, Set<string>>();
    for (const [name = '', handler = ''] of names.map((n) => n.split(' ')))
      owners.set(name, (owners.get(name) ?? new Set()).add(handler));
    expect([...owners].filter(([, handlers]) => handlers.size > 1)).toEqual([]);
  });
});

describe('Every change of the admin API', () => {
  const changes = (): readonly ApiRoute[] =>
    routes.filter((r) => / \/admin\//.test(r.route) && r.operation?.audit === 'change');

  it('says what kind of change it is', () => {
    expect(changes().length).toBeGreaterThan(15);
    expect(named(changes().filter((r) => r.operation?.change === undefined))).toEqual([]);
  });

  it('takes If-Match where it changes what is there, and nowhere else', () => {
    const wrong = changes().filter((r) => (r.operation?.change === 'conditional') !== r.headers.includes('if-match'));
    expect(named(wrong)).toEqual([]);
  });

  it('is a POST, and so under an idempotency key, unless it is conditional: then sent twice it is made once anyway', () => {
    const others = changes().filter((r) => !r.route.startsWith('POST ') && r.operation?.change !== 'conditional');
    expect(named(others)).toEqual([]);
  });

  it('is a revocation where it ends something at once, and only there', () => {
    const revoking = changes().filter((r) => /\/revoke$/.test(r.route));
    expect(named(revoking.filter((r) => r.operation?.change !== 'revocation'))).toEqual([]);
    const revocations = changes().filter((r) => r.operation?.change === 'revocation');
    expect(named(revocations.filter((r) => !/\/(?:revoke|suspend|offboard|withdraw|cancel)$/.test(r.route)))).toEqual(
      [],
    );
  });

  it('can be seen before it is changed: what is changed has a GET', () => {
    const seen = new Set(routes.filter((r) => r.route.startsWith('GET ')).map((r) => r.route.slice('GET '.length)));
    const blind = changes().filter((r) => {
      const path = r.route.replace(/^[A-Z]+ /, '');
      const parent = path.slice(0, path.lastIndexOf('/'));
      return r.operation?.change === 'conditional' && !seen.has(path) && !seen.has(parent);
    });
    expect(named(blind)).toEqual([]);
  });
});

describe('Every list of the admin API', () => {
  /** What is one thing and no list, though its address does not end with an id. */
  const SINGLE = [
    'access-review/csv', // a file, all of it
    'audit/checkpoint',
    'audit/consistency', // a proof
    'audit/exports/:export_id/file',
    'audit/exports/:export_id/manifest',
    'privacy-requests/:request_id/file',
    'rooftops/:rooftop_id/vehicles/:vehicle_id/discrepancies', // at most one for each fact that can be disputed
    'privacy-requests/:request_id/manifest',
    'audit/keys', // as many as there were rotations
    'audit/records/:event_id/proof',
    'holds/:hold_id/coverage', // two numbers
    'holds/on-record', // those of one record
    'inventory', // one line for each rooftop: what is published there
    'openapi.json',
    'policies/current',
    'policies/drafts/:draft_id/diff',
    'policies/versions/:version/diff',
    'retention/categories', // the closed list of them
    'retention/explain',
    'retention/files', // sums
    'retention/policies/active',
    'retention/policies/drafts/:retention_draft_id/diff',
    'retention/policies/versions/:version/diff',
    'retention/profiles', // as many as ship
    'rooftops/:rooftop_id/settings',
    'status',
    'vehicles/:vehicle_id/source',
  ];
  const lookedAt = (): readonly ApiRoute[] => routes.filter((r) => /^GET \/admin\/v1\/(?:.*\/)?[^:/]+$/.test(r.route));
  const path = ({ route }: ApiRoute): string => route.slice('GET /admin/v1/'.length);

  it('is paged: it takes `limit` and `cursor`, unless it is listed as no list', () => {
    const paged = lookedAt().filter(({ query }) => query !== undefined && isPageQuery(query));
    expect(paged.length).toBeGreaterThan(15);
    const unpaged = lookedAt().filter((r) => !paged.includes(r) && !SINGLE.includes(path(r)));
    expect(named(unpaged)).toEqual([]);
    expect(SINGLE.filter((single) => !lookedAt().some((r) => path(r) === single))).toEqual([]);
    expect(named(paged.filter((r) => SINGLE.includes(path(r))))).toEqual([]);
  });
});

const isPageQuery = (query: Type): boolean => query === PageQuery || query.prototype instanceof PageQuery;
