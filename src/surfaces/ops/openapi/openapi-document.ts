import type { INestApplicationContext, Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { VERSION } from '../../../platform/config/version.js';
import {
  ACCESS_METADATA,
  OPERATION_METADATA,
  type RouteAccess,
  type RouteOperation,
} from '../../../platform/http/access.js';
import { type DescribedOperation, describeOperation } from './describe-operation.js';
import { ANSWER, FAILED_ANSWER } from './failed-answer.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

interface Declared {
  readonly operation: RouteOperation | undefined;
  readonly access: RouteAccess | undefined;
}

/** The description of the HTTP routes (OpenAPI 3.1), made from their declarations. */
export function openApiDocument(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Forecourt')
    .setVersion(VERSION)
    .setDescription(
      'Public documents, probes and the admin API. MCP endpoints are described by their protocol, not here.',
    )
    .addBearerAuth(
      {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'opaque',
        description: 'An API key, fck_…, or an access token of staff.',
      },
      'bearer',
    )
    .build();
  const declared = declarationsOf(app);
  const document = SwaggerModule.createDocument(app, config, {
    operationIdFactory: (controller, method) => `${controller}.${method}`,
  });
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, Answer: ANSWER, FailedAnswer: FAILED_ANSWER },
  };
  const conditional = conditionalPaths(document, declared);
  for (const [path, item] of Object.entries(document.paths)) {
    if (path.startsWith('/health/')) continue;
    for (const method of METHODS) {
      const described = item[method];
      if (described === undefined) continue;
      const { operation, access } = declared.get(described.operationId ?? '') ?? {
        operation: undefined,
        access: undefined,
      };
      const versioned = conditional.has(path) && (method === 'get' || operation?.change === 'conditional');
      describeOperation(described as unknown as DescribedOperation, { method, operation, access, versioned });
    }
  }
  nameOperations(document, declared);
  return document;
}

/** Resources of which a change has to name a version: their own paths, and those of the step that makes the change. */
function conditionalPaths(document: OpenAPIObject, declared: ReadonlyMap<string, Declared>): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const [path, item] of Object.entries(document.paths)) {
    const changes = METHODS.some((m) => declared.get(item[m]?.operationId ?? '')?.operation?.change === 'conditional');
    if (!changes) continue;
    paths.add(path);
    if (item.get === undefined) paths.add(path.slice(0, path.lastIndexOf('/')));
  }
  return paths;
}

/** Callers know operations by their canonical names, as the audit trail does. */
function nameOperations(document: OpenAPIObject, declared: ReadonlyMap<string, Declared>): void {
  for (const item of Object.values(document.paths)) {
    for (const method of METHODS) {
      const described = item[method];
      const name = declared.get(described?.operationId ?? '')?.operation?.name;
      if (described !== undefined && name !== undefined) described.operationId = name;
    }
  }
}

/** What each handler declares, by `Controller.method`. */
function declarationsOf(app: INestApplicationContext): ReadonlyMap<string, Declared> {
  const modules = [...app.get(ModulesContainer).values()];
  const controllers = modules.flatMap((module) => [...module.controllers.values()].map((c) => c.metatype as Type));
  return new Map(
    controllers.flatMap((controller) => {
      const prototype = controller.prototype as Record<string, object>;
      return Object.getOwnPropertyNames(prototype).map((name): [string, Declared] => {
        const handler = prototype[name] as object;
        const access = (Reflect.getMetadata(ACCESS_METADATA, handler) ??
          Reflect.getMetadata(ACCESS_METADATA, controller)) as RouteAccess | undefined;
        const operation = Reflect.getMetadata(OPERATION_METADATA, handler) as RouteOperation | undefined;
        return [`${controller.name}.${name}`, { operation, access }];
      });
    }),
  );
}
