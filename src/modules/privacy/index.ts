export { PrivacyAdminModule, PrivacyJobsModule, PrivacyReplayModule } from './privacy.module.js';
