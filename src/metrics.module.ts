import { Module } from '@nestjs/common';
import { AccessSnapshots, AccessSnapshotsModule } from './modules/access-snapshots/index.js';
import { AuditHealth, AuditHealthModule } from './modules/audit/index.js';
import { FIGURE_SOURCES, type FigureSource, gauge, ProcessFigures } from './platform/health/figures.js';
import { HealthModule } from './platform/health/health.module.js';
import { MetricsController } from './platform/health/metrics.controller.js';
import { ReadinessFigures } from './platform/health/readiness-figures.js';
import { Readiness } from './platform/health/readiness.js';

/** Numbering of the trail and the clock, as `/health/audit` has them. */
const auditFigures = (health: AuditHealth): FigureSource => ({
  figures: async () => {
    const { sequencingLagSeconds, clock } = await health.report();
    const seconds = (ms: number | undefined): number | null => (ms === undefined ? null : ms / 1000);
    return [
      gauge('forecourt_audit_lag_seconds', 'Age of the oldest audit record without a number.', sequencingLagSeconds),
      gauge('forecourt_clock_offset_seconds', 'This clock minus that of the database.', seconds(clock?.offsetMs)),
      gauge('forecourt_clock_uncertainty_seconds', 'How far that may be wrong.', seconds(clock?.uncertaintyMs)),
    ];
  },
});

/** What this process knows by heart of who may come in: the oldest, because it fails closed by age (decision record 0037). */
const snapshotFigures = (snapshots: AccessSnapshots): FigureSource => ({
  figures: () => {
    const held = snapshots.status();
    const oldestMs = held.length === 0 ? null : Math.max(...held.map(({ ageMs }) => ageMs));
    const outdated = held.filter((one) => one.outdated).length;
    return Promise.resolve([
      gauge('forecourt_access_snapshots', 'Organizations whose access snapshot is held.', held.length),
      gauge('forecourt_access_snapshots_outdated', 'Of these, those of which the database has a newer one.', outdated),
      gauge(
        'forecourt_access_snapshot_age_seconds',
        'Longest time since the database confirmed one of them.',
        oldestMs === null ? null : oldestMs / 1000,
      ),
    ]);
  },
});

/** Figures of the process for whoever watches it. */
@Module({
  imports: [HealthModule, AuditHealthModule, AccessSnapshotsModule],
  controllers: [MetricsController],
  providers: [
    {
      provide: FIGURE_SOURCES,
      inject: [Readiness, AuditHealth, AccessSnapshots],
      useFactory: (readiness: Readiness, health: AuditHealth, snapshots: AccessSnapshots): readonly FigureSource[] => [
        new ReadinessFigures(readiness),
        auditFigures(health),
        snapshotFigures(snapshots),
        new ProcessFigures(),
      ],
    },
  ],
})
export class MetricsModule {}
