import { Failure } from '../../../kernel/failure/failure.js';
import type { ContentStore } from '../../../kernel/ports/content-store.js';
import { present, type PrivacyParts } from './privacy-parts.js';
import type { FilePart } from './privacy-request-store.js';

export interface AccessFile {
  /** JSON text, as its record has its hash. */
  readonly manifest: string;
  readonly bytes: number;
  readonly parts: readonly FilePart[];
}

/** Use case: taking the file of an access request, while it is there. */
export class AccessFiles {
  constructor(
    private readonly parts: Pick<PrivacyParts, 'unitOfWork' | 'store' | 'clock'>,
    private readonly files: Pick<ContentStore, 'open'>,
  ) {}

  /** @throws Failure `resource.not_found`, also once it has expired; `state.conflict` while it is being written */
  find(organizationId: string, requestId: string): Promise<AccessFile> {
    return this.parts.unitOfWork.withTenant(organizationId, async (tx) => {
      const { kind, state, manifest, bytes, fileExpiresAt } = present(
        await this.parts.store.find(tx, requestId, 'read'),
      );
      if (kind === 'access' && state === 'running') throw new Failure('state.conflict', { retryAfterMs: 2000 });
      if (state !== 'ready' || manifest === null || fileExpiresAt === null || fileExpiresAt <= this.parts.clock.now())
        throw new Failure('resource.not_found', { reason: 'not_found' });
      return { manifest, bytes, parts: await this.parts.store.parts(tx, requestId) };
    });
  }

  async *content(organizationId: string, { parts }: AccessFile): AsyncGenerator<Uint8Array, void, undefined> {
    for (const { storageKey } of parts) yield* this.files.open(organizationId, storageKey).chunks();
  }
}
