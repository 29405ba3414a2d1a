export { OrganizationsAdminModule } from './organizations.module.js';
