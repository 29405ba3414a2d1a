import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import type { StaffCaller } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure/failure.js';
import { PLATFORM_TENANT } from '../../kernel/ids.js';
import type { KeyAuthenticator } from '../../kernel/ports/key-authenticator.js';
import { KEY_AUTHENTICATOR } from '../../kernel/ports/key-authenticator.js';
import { SERVED_ORGANIZATIONS, type ServedOrganizations } from '../../kernel/ports/served-organizations.js';
import { STAFF_AUTHENTICATOR, type StaffAuthenticator } from '../../kernel/ports/staff-authenticator.js';
import type { RouteAccess, RouteOperation } from './access.js';
import { ACCESS_METADATA, OPERATION_METADATA } from './access.js';
import { AdminAudit } from './admin-audit.js';
import { admitStaff } from './admit-staff.js';
import { refuseMisplaced } from './misplaced-credential.js';
import { addressOf, contextOf, networkOf } from './request-context.js';

const API_KEY = /^Bearer +fck_/i;

/** Lets nothing through that does not say who may come in. */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly declared = new WeakMap<object, RouteAccess>();

  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(KEY_AUTHENTICATOR) private readonly keys: KeyAuthenticator,
    @Inject(STAFF_AUTHENTICATOR) private readonly persons: StaffAuthenticator,
    @Inject(SERVED_ORGANIZATIONS) private readonly served: ServedOrganizations,
    @Inject(AdminAudit) private readonly audit: AdminAudit,
  ) {}

  canActivate(context: ExecutionContext): true | Promise<true> {
    const access = this.accessOf(context);
    if (access.kind !== 'key') return true;
    return this.requireKey(context, access);
  }

  private accessOf(context: ExecutionContext): RouteAccess {
    const handler = context.getHandler();
    const known = this.declared.get(handler);
    if (known !== undefined) return known;
    const access = this.reflector.getAllAndOverride<RouteAccess | undefined>(ACCESS_METADATA, [
      handler,
      context.getClass(),
    ]);
    if (access === undefined)
      throw new Failure('route.unknown', { reason: 'unknown_route', auditReason: 'route declares no access' });
    this.declared.set(handler, access);
    return access;
  }

  private async requireKey(execution: ExecutionContext, access: RouteAccess & { kind: 'key' }): Promise<true> {
    const request = execution.switchToHttp().getRequest<FastifyRequest>();
    const context = contextOf(request);
    try {
      refuseMisplaced(request);
      context.caller = await this.authenticate(request);
      admitStaff(context.caller, access, this.operationOf(execution));
      return true;
    } catch (error) {
      const failure = Failure.from(error);
      await this.audit.denied(context, this.operationOf(execution), failure);
      throw failure;
    }
  }

  /** API keys say what they are; anything else is an access token of a person. */
  private authenticate(request: FastifyRequest): Promise<StaffCaller> {
    const header = request.headers.authorization;
    return header === undefined || API_KEY.test(header)
      ? this.keys.authenticate(header, networkOf(request), addressOf(request))
      : this.personOf(header, request);
  }

  /** Persons of an organization that is suspended or off-boarded are out like its keys (decision record 0036). */
  private async personOf(header: string, request: FastifyRequest): Promise<StaffCaller> {
    const person = await this.persons.authenticate(header, networkOf(request));
    const { organizationId } = person;
    if (organizationId !== PLATFORM_TENANT && !(await this.served.isServed(organizationId)))
      throw new Failure('caller.credential_invalid', { auditReason: 'organization_not_served' });
    return person;
  }

  private operationOf(execution: ExecutionContext): string {
    const operation = this.reflector.get<RouteOperation | undefined>(OPERATION_METADATA, execution.getHandler());
    return operation?.name ?? 'unnamed';
  }
}
