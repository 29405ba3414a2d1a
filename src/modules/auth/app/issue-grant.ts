import { changeHashes } from '../../../kernel/change-hashes.js';
import { Failure } from '../../../kernel/failure/failure.js';
import { newGrantId } from '../../../kernel/ids.js';
import { type ExpectedVersions, requireVersion, requireVersions } from '../../../kernel/precondition.js';
import type { TenantTransaction, UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { ChangeOrigin } from '../../audit/index.js';
import type { DealerDirectory } from '../../tenancy/index.js';
import type { GrantRecord, GroupDelegation } from '../domain/grant-record.js';
import { refusalOfGrant } from '../domain/grant-record.js';
import type { AccessChanges } from './access-change.js';
import type { CreatedKey, CreateKey } from './create-key.js';
import type { GrantStore } from './grant-store.js';
import { checkRequestedAccess } from './requested-rooftops.js';

export interface RequestedGrant {
  readonly subject: string;
  /** Rooftops one by one, or the recorded delegation that they come from. */
  readonly rooftops: { readonly rooftopIds: readonly string[] } | { readonly delegationId: string };
  readonly profiles: readonly string[];
  readonly scopes: readonly string[];
  readonly purposes: readonly string[];
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt: number;
  /** How lists name tools for the agent; absent: as the path says. */
  readonly toolNames?: 'dotted' | 'underscore';
}

/** A grant with the key that carries it: the only time that the token exists outside its holder's hands. */
export interface IssuedGrant {
  readonly grant: GrantRecord;
  readonly key: CreatedKey;
}

export interface IssueGrantParts {
  readonly unitOfWork: UnitOfWork;
  readonly store: GrantStore;
  readonly directory: DealerDirectory;
  readonly createKey: CreateKey;
  readonly changes: AccessChanges;
  readonly clock: Clock;
}

/** Use case: lets an agent in. Grant, key and their audit record are one transaction. */
export class IssueGrant {
  constructor(private readonly parts: IssueGrantParts) {}

  /** @throws Failure `input.invalid` for unknown rooftops, a delegation that does not carry the grant, an end in the past. */
  async run(organizationId: string, requested: RequestedGrant, origin: ChangeOrigin): Promise<IssuedGrant> {
    const { unitOfWork, createKey } = this.parts;
    await this.check(organizationId, requested);
    return unitOfWork.withTenant(organizationId, async (tx) => {
      const grant = await this.insert(tx, newGrantId(), 1, requested, origin.actor);
      const { subject: name, grantId, expiresAt } = grant;
      const key = await createKey.mintIn(tx, { organizationId, name, role: 'app', grantId, expiresAt });
      await this.record(tx, origin, 'grants.create', [null, grant], [key.keyId]);
      return { grant, key };
    });
  }

  /**
   * A new version of a grant, which its keys carry from now on; the older ones stay as they are.
   * @throws Failure as {@link run}, and `input.precondition` for another version than the one in force, `resource.not_found`, `state.conflict` for a grant that was revoked.
   */
  async revise(
    organizationId: string,
    grantId: string,
    requested: RequestedGrant,
    expectedVersions: ExpectedVersions,
    origin: ChangeOrigin,
  ): Promise<GrantRecord> {
    const expected = requireVersions(expectedVersions);
    await this.check(organizationId, requested);
    return this.parts.unitOfWork.withTenant(organizationId, async (tx) => {
      const current = await this.parts.store.find(tx, grantId, 'change');
      if (current === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
      requireVersion(expected, current.version);
      if (current.revokedAt !== null) throw new Failure('state.conflict', { auditReason: 'grant_revoked' });
      if (current.subject !== requested.subject)
        throw invalid('/subject', 'const', 'must be the subject of the grant: another one needs a grant of its own');
      const grant = await this.insert(tx, grantId, current.version + 1, requested, origin.actor);
      await this.record(tx, origin, 'grants.revise', [current, grant]);
      return grant;
    });
  }

  private check(organizationId: string, { rooftops, expiresAt }: RequestedGrant): Promise<void> {
    const rooftopIds = 'rooftopIds' in rooftops ? rooftops.rooftopIds : [];
    const { directory, clock } = this.parts;
    return checkRequestedAccess(directory, organizationId, { rooftopIds, expiresAt }, clock.now());
  }

  private async insert(
    tx: TenantTransaction,
    grantId: string,
    version: number,
    { rooftops, ...requested }: RequestedGrant,
    issuer: string | null,
  ): Promise<GrantRecord> {
    const delegation = 'delegationId' in rooftops ? await this.delegationOf(tx, rooftops.delegationId) : null;
    const rooftopIds = 'rooftopIds' in rooftops ? rooftops.rooftopIds : [];
    const { organizationId } = tx;
    const named = { ...requested, grantId, version, organizationId, rooftopIds, issuer: issuer ?? 'unnamed' };
    const grant: GrantRecord = { ...named, delegation, revokedAt: null };
    if (refusalOfGrant(grant, this.parts.clock.now()) !== undefined)
      throw invalid('/delegation_id', 'const', 'must be a delegation in force whose grantee is the subject');
    await this.parts.store.insert(tx, { ...named, delegationId: delegation?.delegationId ?? null });
    return grant;
  }

  private record(
    tx: TenantTransaction,
    origin: ChangeOrigin,
    operation: string,
    [before, after]: readonly [GrantRecord | null, GrantRecord],
    more: readonly string[] = [],
  ): Promise<void> {
    const { grantId, version, rooftopIds } = after;
    const resourceIds = [`${grantId}@${version}`, ...more];
    return this.parts.changes.record(tx, origin, {
      operation,
      rooftopIds,
      resourceIds,
      hashes: changeHashes(before, after),
    });
  }

  private async delegationOf(tx: TenantTransaction, delegationId: string): Promise<GroupDelegation> {
    const delegation = await this.parts.store.findDelegation(tx, delegationId);
    if (delegation === undefined) throw invalid('/delegation_id', 'enum', 'must be a recorded group delegation');
    return delegation;
  }
}

const invalid = (pointer: string, keyword: string, explanation: string): Failure =>
  new Failure('input.invalid', { violations: [{ pointer, keyword, explanation }] });
