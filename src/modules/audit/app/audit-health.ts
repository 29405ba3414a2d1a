import { certainOffsetMs, type ClockReading } from '../domain/log/clock-line.js';
import type { Alarm } from './alarm.js';
import type { ClockOffset } from './clock-offset.js';

/** How the trail is doing. Null is unknown, never zero. */
export interface AuditHealthReport {
  readonly status: 'ok' | 'alarm' | 'unknown';
  /** Age of the oldest record without a number; 0 when all have one. */
  readonly sequencingLagSeconds: number | null;
  /** This process's clock minus the database's. */
  readonly clock: ClockReading | null;
}

export interface AuditAlarms {
  readonly lag: Alarm;
  readonly clock: Alarm;
}

/** Port: how far numbering is behind, in seconds; 0 when it is not. */
export interface SequencingLag {
  lagSeconds(): Promise<number>;
}

const FRESH_MS = 1000;

/** Measures what decision record 0040 alarms about: numbering behind by 10 s, clocks apart by 1 s. Asked often, it measures once a second. */
export class AuditHealth {
  private latest: { readonly at: number; readonly report: Promise<AuditHealthReport> } | undefined;

  constructor(
    private readonly lag: SequencingLag,
    private readonly clock: ClockOffset,
    private readonly alarms: AuditAlarms,
  ) {}

  /** Never fails: what cannot be measured is unknown. */
  report(): Promise<AuditHealthReport> {
    const now = performance.now();
    if (this.latest === undefined || now - this.latest.at > FRESH_MS) this.latest = { at: now, report: this.measure() };
    return this.latest.report;
  }

  private async measure(): Promise<AuditHealthReport> {
    const [sequencingLagSeconds, clock] = await Promise.all([
      this.lag.lagSeconds().catch(() => null),
      this.clock.measure().catch(() => null),
    ]);
    if (sequencingLagSeconds !== null) this.alarms.lag.watch(sequencingLagSeconds);
    if (clock !== null) this.alarms.clock.watch(certainOffsetMs(clock) / 1000);
    const alarm = this.alarms.lag.isRaised || this.alarms.clock.isRaised;
    const unknown = sequencingLagSeconds === null || clock === null;
    return { status: alarm ? 'alarm' : unknown ? 'unknown' : 'ok', sequencingLagSeconds, clock };
  }
}
