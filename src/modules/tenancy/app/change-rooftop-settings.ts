import { changeHashes } from '../../../kernel/change-hashes.js';
import { Failure } from '../../../kernel/failure/failure.js';
import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import { type ExpectedVersions, requireVersion, requireVersions } from '../../../kernel/precondition.js';
import type { Clock } from '../../../kernel/time.js';
import type { ChangeOrigin, TransactionalAudit } from '../../audit/index.js';
import { checkRooftopSettings } from '../domain/check-rooftop-settings.js';
import type { DealerDirectory } from './dealer-directory.js';
import type { RooftopSettingsStore, SettingsVersion } from './rooftop-settings-store.js';

/** Who changes settings. A change is never anonymous. */
export type SettingsChangeOrigin = ChangeOrigin & { readonly actor: string };

export interface RequestedSettings {
  readonly rooftopId: string;
  /** The whole document as it came. */
  readonly settings: unknown;
  /** Why, in the words of the person. */
  readonly reason: string;
  /** Versions that the caller takes to be in force (If-Match); undefined when it named none. */
  readonly expectedVersions: ExpectedVersions;
}

/** Puts a new version of a rooftop's settings in force. */
export class ChangeRooftopSettings {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly store: RooftopSettingsStore,
    private readonly audit: TransactionalAudit,
    private readonly directory: DealerDirectory,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws Failure `input.precondition` when no version is named or another one is in force, `resource.not_found`,
   *   `input.invalid` with every violation of the document.
   */
  async run(
    organizationId: string,
    requested: RequestedSettings,
    origin: SettingsChangeOrigin,
  ): Promise<SettingsVersion> {
    const { rooftopId } = requested;
    const expected = requireVersions(requested.expectedVersions);
    const changed = await this.unitOfWork.withTenant(organizationId, async (tx) => {
      const rooftop = await this.store.find(tx, rooftopId, 'change');
      if (rooftop === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
      requireVersion(expected, rooftop.settingsVersion);
      const before = await this.store.version(tx, rooftopId, rooftop.settingsVersion);
      const next = this.nextVersion(requested, rooftop, origin.actor);
      await this.store.add(tx, next);
      await this.audit.recordInTransaction(tx, {
        ...origin,
        occurredAt: next.createdAt,
        organizationId,
        operation: 'rooftops.change_settings',
        profile: null,
        rooftopIds: [rooftopId],
        resourceIds: [`${rooftopId}/settings/${next.version}`],
        decision: 'allow',
        reason: null,
        policyVersion: null,
        outcome: 'succeeded',
        failureCode: null,
        purpose: null,
        ...changeHashes(before ?? null, next),
      });
      return next;
    });
    this.directory.forget(organizationId);
    return changed;
  }

  private nextVersion(
    { rooftopId, settings, reason }: RequestedSettings,
    rooftop: { readonly currency: string; readonly settingsVersion: number },
    author: string,
  ): SettingsVersion {
    const checked = checkRooftopSettings(settings, rooftop.currency);
    if ('violations' in checked) throw invalidSettings(checked.violations);
    const version = rooftop.settingsVersion + 1;
    return { rooftopId, version, settings: checked.settings, author, reason, createdAt: this.clock.now() };
  }
}

/** The document is the member `settings` of the request. */
function invalidSettings(violations: readonly { pointer: string; keyword: string; explanation: string }[]): Failure {
  return new Failure('input.invalid', {
    violations: violations.map((v) => ({ ...v, pointer: `/settings${v.pointer}` })),
  });
}
