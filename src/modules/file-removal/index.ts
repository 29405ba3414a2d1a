export { FileRemovalAdminModule, FileRemovalJobsModule } from './file-removal.module.js';
