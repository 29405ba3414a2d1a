import { LIMITS } from '../../../kernel/limits.js';
import type { IdempotencySweep } from './idempotency-store.js';

const AT_ONCE = 5000;
const ROUNDS_MAX = 20;

/** Use case: forgets replies that were kept long enough, a bounded number at a time and in all. */
export class SweepKeys {
  constructor(private readonly store: IdempotencySweep) {}

  /** @returns how many were forgotten. */
  async run(): Promise<number> {
    let swept = 0;
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const count = await this.store.sweep(LIMITS.idempotencyKeptHours.value, AT_ONCE);
      swept += count;
      if (count < AT_ONCE) break;
    }
    return swept;
  }
}
