export { PolicyAdminModule } from './policy.module.js';
