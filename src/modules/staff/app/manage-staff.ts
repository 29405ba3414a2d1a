import { changeHashes } from '../../../kernel/change-hashes.js';
import { Failure } from '../../../kernel/failure/failure.js';
import { newPersonId } from '../../../kernel/ids.js';
import type { RevocationJournal } from '../../../kernel/ports/restore-journal.js';
import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import { type Clock, rfc3339 } from '../../../kernel/time.js';
import type { ChangeOrigin } from '../../audit/index.js';
import type { OutsideIdentity, StaffRecord, StaffRole } from '../domain/staff-record.js';
import type { StaffChanges } from './staff-changes.js';
import type { StaffStore } from './staff-store.js';

export interface NewPerson {
  /** Chosen by the operator's own start; minted otherwise. */
  readonly personId?: string;
  readonly name: string;
  readonly role: StaffRole;
  /** For a person who signs in at an outside identity provider. */
  readonly identity?: OutsideIdentity;
}

export interface RequestedChange {
  readonly name?: string;
  readonly role?: StaffRole;
  readonly disabled?: boolean;
  /** Versions that the caller takes to be in force (If-Match); undefined when it named none. */
  readonly expectedVersions: readonly number[] | undefined;
}

/** Use cases: who works for an organization. Persons are disabled, never deleted: the trail goes on naming them. */
export class ManageStaff {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly store: StaffStore,
    private readonly changes: StaffChanges,
    private readonly journal: RevocationJournal,
    private readonly clock: Clock,
  ) {}

  list(
    organizationId: string,
    page: { readonly after?: string; readonly limit: number },
  ): Promise<readonly StaffRecord[]> {
    return this.unitOfWork.withTenant(organizationId, (tx) => this.store.list(tx, page));
  }

  /** @throws Failure `resource.not_found`. */
  get(organizationId: string, personId: string): Promise<StaffRecord> {
    return this.unitOfWork.withTenant(organizationId, async (tx) =>
      existing(await this.store.find(tx, personId, 'read')),
    );
  }

  /** @throws Failure `input.invalid` for an outside identity that another person has. */
  create(organizationId: string, { name, role, ...rest }: NewPerson, origin: ChangeOrigin): Promise<StaffRecord> {
    const { personId = newPersonId(), identity = null } = rest;
    const now = this.clock.now();
    const times = { disabledAt: null, createdAt: now, updatedAt: now };
    const person: StaffRecord = { organizationId, personId, name, role, identity, version: 1, ...times };
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      if (identity !== null && (await this.store.findIdentity(tx, identity, 'read')) !== undefined)
        throw invalid('/subject', 'uniqueItems', 'names an identity that another person has');
      await this.store.insert(tx, person);
      await this.changes.record(tx, origin, 'staff.create', [personId, `role/${role}`], changeHashes(null, person));
      return person;
    });
  }

  /**
   * Nobody changes their own role or disables themselves: a second person sees it.
   * @throws Failure `input.precondition`, `resource.not_found`, `caller.role_forbidden` for one's own role, `input.invalid` for
   *   the role of a person whose groups decide it.
   */
  change(
    organizationId: string,
    personId: string,
    { expectedVersions, disabled, ...wanted }: RequestedChange,
    origin: ChangeOrigin,
  ): Promise<StaffRecord> {
    if (expectedVersions === undefined) throw new Failure('input.precondition', { reason: 'precondition_required' });
    if (personId === origin.actor && (wanted.role !== undefined || disabled !== undefined))
      throw new Failure('caller.role_forbidden', { auditReason: 'own_role' });
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      const person = existing(await this.store.find(tx, personId, 'change'));
      if (!expectedVersions.includes(person.version))
        throw new Failure('input.precondition', { reason: 'precondition_failed' });
      if (wanted.role !== undefined && person.identity !== null)
        throw invalid('/role', 'const', 'is decided by the groups of the identity provider');
      const now = this.clock.now();
      const disabledAt = disabled === undefined ? {} : { disabledAt: disabled ? (person.disabledAt ?? now) : null };
      await this.store.change(tx, personId, { ...wanted, ...disabledAt }, now);
      const changed = { ...person, ...wanted, ...disabledAt, version: person.version + 1, updatedAt: now };
      const state = changed.disabledAt === null ? 'enabled' : 'disabled';
      const ids = [`${personId}@${changed.version}`, `role/${changed.role ?? 'none'}`, state];
      await this.changes.record(tx, origin, 'staff.change', ids, changeHashes(person, changed));
      if (disabled !== undefined)
        await this.journal.note(tx, {
          what: 'person',
          id: personId,
          revokedAt: rfc3339(changed.disabledAt ?? now),
          ...(disabled ? {} : { lifted: true }),
        });
      return changed;
    });
  }
}

export function existing<T>(found: T | undefined): T {
  if (found === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
  return found;
}

const invalid = (pointer: string, keyword: string, explanation: string): Failure =>
  new Failure('input.invalid', { violations: [{ pointer, keyword, explanation }] });
