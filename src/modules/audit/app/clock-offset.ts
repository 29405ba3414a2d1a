import type { ClockReading } from '../domain/log/clock-line.js';

/** Port: how far this process's clock is from the database's. */
export interface ClockOffset {
  measure(): Promise<ClockReading>;
}
