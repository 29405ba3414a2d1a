import { randomBytes } from 'node:crypto';
import { changeHashes } from '../../../kernel/change-hashes.js';
import { Failure } from '../../../kernel/failure/failure.js';
import { newRooftopId } from '../../../kernel/ids.js';
import type { TenantTransaction, UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { ChangeOrigin, TransactionalAudit } from '../../audit/index.js';
import type { DealerGroupStore } from './create-dealer-group.js';
import type { OrganizationStore } from './organization-store.js';
import type { RooftopProfile, RooftopProfileStore, RooftopRecord } from './rooftop-profile-store.js';

/** A rooftop to be. What it leaves out is taken from its organization. */
export interface RequestedRooftop extends Omit<RooftopProfile, 'timezone' | 'address'> {
  readonly rooftopId: string | undefined;
  readonly address: Omit<RooftopProfile['address'], 'country'> & { readonly country?: string | undefined };
  readonly timezone: string | undefined;
  readonly currency: string | undefined;
}

export interface KeepRooftopsParts {
  readonly unitOfWork: UnitOfWork;
  readonly rooftops: RooftopProfileStore;
  readonly groups: DealerGroupStore;
  readonly organizations: OrganizationStore;
  readonly audit: TransactionalAudit;
  readonly clock: Clock;
}

/** Use cases: an organization adds rooftops and changes what they say of themselves. Every process follows within two seconds. */
export class KeepRooftops {
  constructor(private readonly parts: KeepRooftopsParts) {}

  /** @throws Failure `input.invalid` for an id that was ever used here, and for what neither request nor organization says. */
  create(organizationId: string, requested: RequestedRooftop, origin: ChangeOrigin): Promise<RooftopRecord> {
    const { unitOfWork, rooftops, groups } = this.parts;
    return unitOfWork.withTenant(organizationId, async (tx) => {
      const rooftopId = requested.rooftopId ?? newRooftopId();
      if (await rooftops.isTaken(tx, rooftopId)) throw invalid([['/rooftop_id', 'not', 'is taken']]);
      const complete = { ...(await this.completed(tx, requested)), rooftopId };
      await groups.insertRooftop(tx, { ...complete, settings: {} }, randomBytes(16));
      await rooftops.announce(tx);
      const created = present(await rooftops.find(tx, rooftopId, 'read'));
      await this.record(tx, origin, 'rooftops.create', null, created);
      return created;
    });
  }

  /** @throws Failure `resource.not_found`. */
  find(organizationId: string, rooftopId: string): Promise<RooftopRecord> {
    return this.parts.unitOfWork.withTenant(organizationId, async (tx) =>
      present(await this.parts.rooftops.find(tx, rooftopId, 'read')),
    );
  }

  /**
   * @param expectedVersions versions that the caller takes to be in force (If-Match); undefined when it named none
   * @throws Failure `input.precondition`, `resource.not_found`.
   */
  async change(
    organizationId: string,
    rooftopId: string,
    changes: Partial<RooftopProfile>,
    expectedVersions: readonly number[] | undefined,
    origin: ChangeOrigin,
  ): Promise<RooftopRecord> {
    if (expectedVersions === undefined) throw new Failure('input.precondition', { reason: 'precondition_required' });
    const { unitOfWork, rooftops } = this.parts;
    return unitOfWork.withTenant(organizationId, async (tx) => {
      const current = present(await rooftops.find(tx, rooftopId, 'change'));
      if (!expectedVersions.includes(current.version))
        throw new Failure('input.precondition', { reason: 'precondition_failed' });
      const { name, legalName, website, address, timezone, departments, contacts, hours, languages } = current;
      const profile = { name, legalName, website, address, timezone, departments, contacts, hours, languages };
      await rooftops.change(tx, rooftopId, current.version + 1, { ...profile, ...changes });
      const changed = present(await rooftops.find(tx, rooftopId, 'read'));
      await this.record(tx, origin, 'rooftops.change', current, changed);
      return changed;
    });
  }

  private async completed(
    tx: TenantTransaction,
    { address, ...requested }: RequestedRooftop,
  ): Promise<RooftopProfile & { readonly currency: string }> {
    const organization = await this.parts.organizations.find(tx, 'read');
    const timezone = requested.timezone ?? organization?.timezone;
    const currency = requested.currency ?? organization?.currency;
    const country = address.country ?? organization?.country;
    const missing = Object.entries({ '/time_zone': timezone, '/currency': currency, '/address/country': country });
    const violations = missing.filter(([, value]) => value === undefined || value === null);
    if (timezone == null || currency == null || country == null)
      throw invalid(
        violations.map(([pointer]) => [pointer, 'required', 'is required where the organization has none']),
      );
    return { ...requested, timezone, currency, address: { ...address, country } };
  }

  private record(
    tx: TenantTransaction,
    origin: ChangeOrigin,
    operation: string,
    before: RooftopRecord | null,
    after: RooftopRecord,
  ): Promise<void> {
    return this.parts.audit.recordInTransaction(tx, {
      ...origin,
      ...changeHashes(before, after),
      occurredAt: this.parts.clock.now(),
      organizationId: tx.organizationId,
      operation,
      profile: null,
      rooftopIds: [after.rooftopId],
      resourceIds: [`${after.rooftopId}@${after.version}`],
      decision: 'allow',
      reason: null,
      policyVersion: null,
      outcome: 'succeeded',
      failureCode: null,
      purpose: null,
    });
  }
}

function present(rooftop: RooftopRecord | undefined): RooftopRecord {
  if (rooftop === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
  return rooftop;
}

const invalid = (violations: readonly (readonly [string, string, string])[]): Failure =>
  new Failure('input.invalid', {
    violations: violations.map(([pointer, keyword, explanation]) => ({ pointer, keyword, explanation })),
  });
