import { newPersonId, newRequestId, traceIdOfRequest } from '../../../kernel/ids.js';
import type { TenantTransaction, UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { ChangeOrigin } from '../../audit/index.js';
import type { OutsideIdentity, StaffRecord, StaffRole } from '../domain/staff-record.js';
import { changeHashes } from '../../../kernel/change-hashes.js';
import type { StaffChanges } from './staff-changes.js';
import type { StaffStore } from './staff-store.js';

/** What a verified token of an outside identity provider says about a person. */
export interface OutsideToken {
  readonly organizationId: string;
  readonly identity: OutsideIdentity;
  readonly name: string;
  /** By the groups; null where none of them gives one. */
  readonly role: StaffRole | null;
  /** Milliseconds. */
  readonly issuedAt: number;
}

/**
 * Keeps a row for everybody who signs in at the outside identity provider, so that approvals can count them and staff can
 * disable them. The newest token decides the role: an older one with more groups gives nothing back.
 */
export class OutsidePersons {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly store: StaffStore,
    private readonly changes: StaffChanges,
    private readonly clock: Clock,
  ) {}

  /** @returns undefined for an identity that never had a role here: it gets no row. */
  of(token: OutsideToken): Promise<StaffRecord | undefined> {
    return this.unitOfWork.withTenant(token.organizationId, async (tx) => {
      const known = await this.store.findIdentity(tx, token.identity, 'change');
      if (known === undefined) return token.role === null ? undefined : this.add(tx, token, token.role);
      if (token.issuedAt < known.claimsAt) return known;
      if (token.issuedAt > known.claimsAt) await this.store.noteClaims(tx, known.personId, token.issuedAt);
      return token.role === known.role ? known : this.changeRole(tx, known, token.role);
    });
  }

  private async add(tx: TenantTransaction, token: OutsideToken, role: StaffRole): Promise<StaffRecord | undefined> {
    const { organizationId, identity, name, issuedAt } = token;
    const now = this.clock.now();
    const times = { disabledAt: null, createdAt: now, updatedAt: now };
    const person = { organizationId, personId: newPersonId(), name, role, identity, version: 1, ...times };
    await this.store.insertIdentity(tx, person, issuedAt);
    const stored = await this.store.findIdentity(tx, identity, 'change');
    if (stored?.personId === person.personId)
      await this.changes.record(
        tx,
        originOf(person.personId),
        'staff.create',
        [person.personId, `role/${role}`],
        changeHashes(null, person),
      );
    return stored;
  }

  private async changeRole(tx: TenantTransaction, known: StaffRecord, role: StaffRole | null): Promise<StaffRecord> {
    const { personId, version } = known;
    const now = this.clock.now();
    await this.store.change(tx, personId, { role }, now);
    const changed = { ...known, role, version: version + 1, updatedAt: now };
    const ids = [`${personId}@${changed.version}`, `role/${role ?? 'none'}`];
    await this.changes.record(tx, originOf(personId), 'staff.change', ids, changeHashes(known, changed));
    return changed;
  }
}

/** The record of the request itself is another one: this change may happen beside any of them. */
function originOf(personId: string): ChangeOrigin {
  const eventId = newRequestId();
  const traceId = traceIdOfRequest(eventId);
  return { eventId, traceId, surface: 'admin', actorKind: 'person', actor: personId, client: null };
}
