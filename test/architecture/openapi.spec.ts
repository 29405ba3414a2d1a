import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { ApiModule } from '../../src/api.module.js';
import { loadSettings } from '../../src/platform/config/load-settings.js';
import { openApiDocument } from '../../src/surfaces/ops/openapi/openapi-document.js';
import { type ApiRoute, readApiRoutes } from './api-routes.js';

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly responses: Readonly<Record<string, { readonly content?: object; readonly headers?: object }>>;
  readonly security?: unknown;
  readonly requestBody?: { readonly content: Record<string, { readonly schema: object }> };
}

let document: OpenAPIObject;
let routes: readonly ApiRoute[];

beforeAll(async () => {
  const settings = loadSettings({ FORECOURT_PROFILE: 'local', DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
  const app = await NestFactory.create(ApiModule.forRoot(settings), new FastifyAdapter(), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
  document = openApiDocument(app);
  routes = (await readApiRoutes()).filter((r) => / \/admin\//.test(r.route));
});

function operationOf({ route }: ApiRoute): Operation | undefined {
  const [method = '', path = ''] = route.split(' ');
  const item = document.paths[path.replace(/:(\w+)/g, '{$1}')] as unknown as Record<string, Operation> | undefined;
  return item?.[method.toLowerCase()];
}
const headersOf = (route: ApiRoute): string[] =>
  (operationOf(route)?.parameters ?? []).filter((p) => p.in === 'header' && p.required === true).map((p) => p.name);

/** Every object in the document with its place. */
function* objectsIn(value: unknown, place = '#'): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [place, value as Record<string, unknown>];
  for (const [name, member] of Object.entries(value)) yield* objectsIn(member, `${place}/${name}`);
}

describe('The description of the admin API', () => {
  it('is OpenAPI 3.1 and has every route under its canonical name, with its answer and its failures', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(routes.length).toBeGreaterThan(30);
    for (const route of routes) {
      const described = operationOf(route);
      expect({ route: route.route, id: described?.operationId }).toEqual({
        route: route.route,
        id: route.operation?.name,
      });
      const statuses = Object.keys(described?.responses ?? {});
      expect({
        route: route.route,
        ok: statuses.some((s) => s.startsWith('2')),
        failed: statuses.includes('default'),
      }).toEqual({
        route: route.route,
        ok: true,
        failed: true,
      });
      expect({ route: route.route, security: described?.security }).toEqual({
        route: route.route,
        security: [{ bearer: [] }],
      });
    }
  });

  it('names an operation once', () => {
    const ids = [...objectsIn(document.paths)].flatMap(([, o]) =>
      typeof o['operationId'] === 'string' ? [o['operationId']] : [],
    );
    expect(ids.filter((id, place) => ids.indexOf(id) !== place)).toEqual([]);
  });

  it('asks for the key of a POST and the version of a conditional change, and for neither elsewhere', () => {
    for (const route of routes) {
      const expected = [
        ...(route.route.startsWith('POST ') ? ['Idempotency-Key'] : []),
        ...(route.operation?.change === 'conditional' ? ['If-Match'] : []),
      ];
      expect({ route: route.route, headers: headersOf(route) }).toEqual({ route: route.route, headers: expected });
    }
  });

  it('says where the version comes from', () => {
    const tagged = routes.filter((r) =>
      Object.values(operationOf(r)?.responses ?? {}).some((a) => a.headers !== undefined),
    );
    const names = tagged.map((r) => r.operation?.name);
    expect(names).toEqual(
      expect.arrayContaining(['grants.get', 'grants.revise', 'feed_runs.get', 'rooftops.get_settings', 'keys.get']),
    );
  });

  it('refers to nothing that is not there, and uses nothing of OpenAPI 3.0', () => {
    const schemas = document.components?.schemas ?? {};
    for (const [place, object] of objectsIn(document)) {
      const ref = object['$ref'];
      if (typeof ref === 'string') expect(Object.keys(schemas)).toContain(ref.replace('#/components/schemas/', ''));
      if (!place.includes('/properties'))
        expect({ place, nullable: object['nullable'] }).toEqual({ place, nullable: undefined });
    }
  });

  it('has schemas that are JSON Schema 2020-12', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const wrong = Object.entries(document.components?.schemas ?? {}).filter(
      ([, schema]) => ajv.validateSchema(schema) !== true,
    );
    expect(wrong.map(([name]) => name)).toEqual([]);
  });

  it('describes closed bodies: what the pipe refuses is not described as allowed', () => {
    expect(routes.filter((r) => operationOf(r)?.requestBody !== undefined).length).toBeGreaterThan(10);
  });
});
