import type { Type } from '@nestjs/common';
import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ApiModule } from '../../src/api.module.js';
import { loadSettings } from '../../src/platform/config/load-settings.js';
import type { RouteAccess, RouteOperation } from '../../src/platform/http/access.js';
import { ACCESS_METADATA, OPERATION_METADATA } from '../../src/platform/http/access.js';

/** One handler of the API with what it declares. */
export interface ApiRoute {
  readonly route: string;
  readonly handler: string;
  readonly access: RouteAccess | undefined;
  readonly operation: RouteOperation | undefined;
  /** Request headers that the handler reads, in lower case. */
  readonly headers: readonly string[];
  /** The class that the whole query is read as. */
  readonly query: Type | undefined;
}

const PREVIEW = { preview: true, logger: false, abortOnError: false } as const;

/**
 * Every handler of the API, read from metadata. Preview mode resolves the module graph without making a provider, so that
 * neither a database nor a port is needed.
 */
export async function readApiRoutes(): Promise<readonly ApiRoute[]> {
  const settings = loadSettings({ FORECOURT_PROFILE: 'local', DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
  const adapter = new FastifyAdapter();
  const app = await NestFactory.create(ApiModule.forRoot(settings), adapter, PREVIEW);
  const modules = [...app.get(ModulesContainer).values()];
  const controllers = modules.flatMap((module) => [...module.controllers.values()].map((c) => c.metatype as Type));
  return [...new Set(controllers)].flatMap(routesOf).toSorted((a, b) => (a.route < b.route ? -1 : 1));
}

function routesOf(controller: Type): readonly ApiRoute[] {
  const prototype = controller.prototype as Record<string, object>;
  return Object.getOwnPropertyNames(prototype).flatMap((name) => {
    const handler = prototype[name];
    if (name === 'constructor' || handler === undefined || !Reflect.hasMetadata(METHOD_METADATA, handler)) return [];
    const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
    const access = (Reflect.getMetadata(ACCESS_METADATA, handler) ??
      Reflect.getMetadata(ACCESS_METADATA, controller)) as RouteAccess | undefined;
    const operation = Reflect.getMetadata(OPERATION_METADATA, handler) as RouteOperation | undefined;
    return pathsOf(controller).flatMap((prefix) =>
      pathsOf(handler).map((path) => ({
        route: `${method} ${joined(prefix, path)}`,
        handler: `${controller.name}.${name}`,
        access,
        operation,
        headers: headersOf(controller, name),
        query: queryOf(controller, name),
      })),
    );
  });
}

type Taken = Readonly<Record<string, { readonly index: number; readonly data?: unknown }>>;

/** What a handler takes of a request, by the kind of parameter and its place. */
const takenBy = (controller: Type, name: string): Taken =>
  (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Taken;

function queryOf(controller: Type, name: string): Type | undefined {
  const taken = Object.entries(takenBy(controller, name)).find(
    ([place, { data }]) => place.startsWith(`${RouteParamtypes.QUERY}:`) && data === undefined,
  );
  if (taken === undefined) return undefined;
  return (Reflect.getMetadata('design:paramtypes', controller.prototype as object, name) as readonly Type[])[
    taken[1].index
  ];
}

function headersOf(controller: Type, name: string): readonly string[] {
  return Object.entries(takenBy(controller, name)).flatMap(([place, { data }]) =>
    place.startsWith(`${RouteParamtypes.HEADERS}:`) && typeof data === 'string' ? [data.toLowerCase()] : [],
  );
}

function pathsOf(target: object): readonly string[] {
  const path = Reflect.getMetadata(PATH_METADATA, target) as string | readonly string[] | undefined;
  return typeof path === 'string' ? [path] : (path ?? ['']);
}

const joined = (...parts: readonly string[]): string =>
  `/${parts
    .flatMap((part) => part.split('/'))
    .filter((part) => part !== '')
    .join('/')}`;
