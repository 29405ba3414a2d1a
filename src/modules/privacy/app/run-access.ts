import { createHash } from 'node:crypto';
import type { ContentStore } from '../../../kernel/ports/content-store.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { LIMITS } from '../../../kernel/limits.js';
import { rfc3339 } from '../../../kernel/time.js';
import type { PrivacyRequest, RequestProgress, SealedSubject } from '../domain/privacy-request.js';
import { accessManifest } from './access-manifest.js';
import { present, type PrivacyParts, recordChange, workerOrigin } from './privacy-parts.js';
import type { FilePart } from './privacy-request-store.js';

const RECORDS_AT_ONCE = 500;
/** Records of a piece of the file: what a killed worker may have to do again. */
const PART_RECORDS = 10_000;
const DAY_MS = 86_400_000;

export const ACCESS_SCHEMA = 'forecourt.privacy-access/1';

/** Writes the file of an access request, piece by piece, with no more than a page of records in memory. */
export class RunAccess {
  constructor(
    private readonly parts: PrivacyParts,
    private readonly files: ContentStore,
    private readonly partRecords: number = PART_RECORDS,
  ) {}

  /** Writes the next piece outside any transaction, and moves on in `commit`. @returns false when the file is whole */
  async step(
    organizationId: string,
    request: PrivacyRequest,
    commit: (work: (tx: TenantTransaction, current: PrivacyRequest) => Promise<void>) => Promise<void>,
  ): Promise<boolean> {
    if (request.progress.place >= this.parts.register.places.length) {
      const parts = await this.inTenant(organizationId, (tx) => this.parts.store.parts(tx, request.requestId));
      const sha256 = await this.digest(organizationId, parts);
      await commit((tx, current) => this.finish(tx, current, parts, sha256));
      return false;
    }
    const subject = await this.inTenant(organizationId, async (tx) =>
      present(await this.parts.store.subjectOf(tx, request.requestId)),
    );
    const written = { progress: request.progress };
    const part = await this.files.put(organizationId, this.lines(organizationId, request, subject, written));
    await commit(async (tx, current) => {
      await this.parts.store.addPart(tx, request.requestId, part);
      const bytes = current.bytes + part.bytes;
      await this.parts.store.update(tx, { ...current, bytes, progress: written.progress });
    });
    return true;
  }

  private async *lines(
    organizationId: string,
    { requestId, progress }: PrivacyRequest,
    { subject, names }: SealedSubject,
    written: { progress: RequestProgress },
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const about = { schema: ACCESS_SCHEMA, request_id: requestId, subject, names };
    if (progress.place === 0 && progress.after === '') yield Buffer.from(`${JSON.stringify(about)}\n`);
    for (let left = this.partRecords; left > 0;) {
      const { place, after, places } = written.progress;
      const registered = this.parts.register.places[place];
      if (registered === undefined) return;
      const limit = Math.min(RECORDS_AT_ONCE, left);
      const page = await this.inTenant(organizationId, (tx) =>
        registered.data.records(tx, registered.place, names, { after, limit }),
      );
      yield Buffer.from(page.map(({ said }) => `${JSON.stringify({ place: registered.place, ...said })}\n`).join(''));
      left -= page.length;
      const tallied = counted(places, registered.place, page.length);
      const whole = page.length < limit;
      const next = whole ? { place: place + 1, after: '' } : { place, after: page.at(-1)?.recordId ?? after };
      written.progress = { ...written.progress, ...next, places: tallied };
    }
  }

  private async digest(organizationId: string, parts: readonly FilePart[]): Promise<string> {
    const whole = createHash('sha256');
    for (const { storageKey } of parts)
      for await (const chunk of this.files.open(organizationId, storageKey).chunks()) whole.update(chunk);
    return whole.digest('hex');
  }

  private async finish(
    tx: TenantTransaction,
    request: PrivacyRequest,
    parts: readonly FilePart[],
    sha256: string,
  ): Promise<void> {
    const now = this.parts.clock.now();
    const fileExpiresAt = now + LIMITS.privacyFileDays.value * DAY_MS;
    const manifest = accessManifest(request, parts, {
      sha256,
      createdAt: rfc3339(now),
      expiresAt: rfc3339(fileExpiresAt),
    });
    const after: PrivacyRequest = { ...request, state: 'ready', version: request.version + 1, manifest, fileExpiresAt };
    await this.parts.store.update(tx, after);
    await recordChange(this.parts, tx, workerOrigin(), {
      operation: 'privacy.requests.finish',
      before: request,
      after,
    });
  }

  private inTenant<T>(organizationId: string, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    return this.parts.unitOfWork.withTenant(organizationId, work);
  }
}

function counted(places: RequestProgress['places'], place: string, records: number): RequestProgress['places'] {
  if (records === 0) return places;
  const before = places.find((tally) => tally.place === place)?.found ?? 0;
  const tally = { place, found: before + records, goes: 0, kept: [] };
  return [...places.filter((known) => known.place !== place), tally];
}
