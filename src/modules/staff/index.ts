export { StaffAdminModule, StaffModule, StaffSubjectDataModule } from './staff.module.js';
export { AuthenticateStaff, type OutsideIssuer, type StaffTrust } from './app/authenticate-staff.js';
export { OutsidePersons } from './app/outside-persons.js';
export { STAFF_DIRECTORY, type StaffDirectory } from './app/staff-store.js';
export { IssueStaffCode, type IssuedCode } from './app/issue-staff-code.js';
export { ManageStaff, type NewPerson } from './app/manage-staff.js';
export { STAFF_HISTORY, type PersonHistory, type StaffHistory } from './app/staff-history.js';
export { STAFF_ROSTER, type StaffRoster, type StaffStanding } from './app/staff-roster.js';
export { STAFF_ROLES, type StaffRecord, type StaffRole } from './domain/staff-record.js';
