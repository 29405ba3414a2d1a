import { STAFF_ROLES, type StaffRole } from '../domain/staff-record.js';

/** The column says `none` where there is no role. */
export const roleOf = (column: string): StaffRole | null => STAFF_ROLES.find((role) => role === column) ?? null;
export const columnOf = (role: StaffRole | null): string => role ?? 'none';
