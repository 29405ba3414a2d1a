export { AccessSnapshots, type SnapshotStatus } from './app/access-snapshots.js';
export { type SnapshotSection, SnapshotSections } from './app/snapshot-section.js';
export { AccessSnapshotsAdminModule, AccessSnapshotsModule } from './access-snapshots.module.js';
