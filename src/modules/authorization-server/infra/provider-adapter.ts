import { errors, type Adapter, type AdapterPayload } from 'oidc-provider';
import { clientLifetimeMs } from '../domain/lifetimes.js';
import type { AuthorizationRecord, RecordStore } from '../app/record-store.js';

const CLIENT = 'Client';
const REPLAY = 'ReplayDetection';
const GRANT = 'Grant';

/** Keeps the models of oidc-provider in the record store. One for each model. */
export class ProviderAdapter implements Adapter {
  constructor(
    private readonly records: RecordStore,
    private readonly model: string,
  ) {}

  async find(id: string): Promise<AdapterPayload | undefined> {
    return payloadOf(await this.records.find(this.model, id));
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return payloadOf(await this.records.findByUid(this.model, uid));
  }

  /** Device codes are not offered. */
  findByUserCode(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn: number | undefined): Promise<void> {
    const record = {
      payload,
      lifetimeMs: this.model === CLIENT ? clientLifetimeMs.unused : Number(expiresIn) * 1000,
      grantId: this.model === GRANT ? id : payload.grantId,
      uid: payload.uid,
    };
    if (this.model !== REPLAY) return this.records.put(this.model, id, record);
    // Found by nobody a moment ago, written by another process since: an assertion counts once (RFC 7523 §3).
    if (!(await this.records.putOnce(this.model, id, record))) throw new errors.InvalidClientAuth('used before');
  }

  /** @throws InvalidGrant for the second of two that came at the same moment. */
  async consume(id: string): Promise<void> {
    if (!(await this.records.consume(this.model, id))) throw new errors.InvalidGrant('used before');
  }

  destroy(id: string): Promise<void> {
    return this.records.remove(this.model, id);
  }

  revokeByGrantId(grantId: string): Promise<void> {
    return this.records.removeGrant(grantId);
  }
}

function payloadOf(record: AuthorizationRecord | undefined): AdapterPayload | undefined {
  if (record === undefined) return undefined;
  const { payload, consumedAt } = record;
  return consumedAt === undefined ? payload : { ...payload, consumed: consumedAt };
}
