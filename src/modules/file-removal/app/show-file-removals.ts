import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { FileRemovals, RemovalStatus } from './file-removals.js';

/** Use case: how the files of an organization's deleted records go. */
export class ShowFileRemovals {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly removals: Pick<FileRemovals, 'status'>,
  ) {}

  run(organizationId: string): Promise<RemovalStatus> {
    return this.unitOfWork.withTenant(organizationId, (tx) => this.removals.status(tx));
  }
}
