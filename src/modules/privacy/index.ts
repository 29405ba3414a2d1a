export { PrivacyAdminModule, PrivacyJobsModule } from './privacy.module.js';
export { PrivacyReplayModule } from './privacy-replay.module.js';
