import { changeHashes } from '../../../kernel/change-hashes.js';
import { Failure } from '../../../kernel/failure/failure.js';
import { newStaffCodeId } from '../../../kernel/ids.js';
import { LIMITS } from '../../../kernel/limits.js';
import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { ChangeOrigin } from '../../audit/index.js';
import { generateCode, hashCode, readCode } from '../domain/one-time-code.js';
import { existing } from './manage-staff.js';
import type { StaffChanges } from './staff-changes.js';
import type { StaffStore } from './staff-store.js';

/** The only time that a code exists outside the hands of its person. */
export interface IssuedCode {
  readonly personId: string;
  readonly code: string;
  /** Milliseconds. */
  readonly expiresAt: number;
}

/** Use case: gives a person a code to sign in with, once. Codes issued before stay as they are. */
export class IssueStaffCode {
  /** @param pepper key of the stored hashes */
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly store: StaffStore,
    private readonly changes: StaffChanges,
    private readonly pepper: Uint8Array,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws Failure `resource.not_found` for an unknown or disabled person, `input.invalid` for one who signs in at an outside
   *   identity provider.
   */
  run(organizationId: string, personId: string, origin: ChangeOrigin): Promise<IssuedCode> {
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      const person = existing(await this.store.find(tx, personId, 'read'));
      if (person.disabledAt !== null) throw new Failure('resource.not_found', { reason: 'not_found' });
      if (person.identity !== null) throw signsInElsewhere();
      const code = generateCode();
      const codeHash = hashCode(this.pepper, personId, readCode(code) ?? '');
      const createdAt = this.clock.now();
      const expiresAt = createdAt + LIMITS.staffCodeSeconds.value * 1000;
      const issuedBy = origin.actorKind === 'system' ? null : origin.actor;
      const issued = { codeId: newStaffCodeId(), personId, issuedBy, createdAt, expiresAt };
      await this.store.insertCode(tx, { ...issued, codeHash });
      const ids = [personId, issued.codeId];
      await this.changes.record(tx, origin, 'staff.issue_code', ids, changeHashes(null, issued));
      return { personId, code, expiresAt };
    });
  }
}

const signsInElsewhere = (): Failure =>
  new Failure('input.invalid', {
    violations: [{ pointer: '', keyword: 'not', explanation: 'this person signs in at an outside identity provider' }],
  });
