import type pg from 'pg';

export const TEMPLATE_DATABASE = 'forecourt_test_template';
export const APP_PASSWORD = 'test-only';

/** The application role may log in on the test server, as it would in production: no superuser behind it. */
export async function setDatabasePassword(admin: pg.Client): Promise<void> {
  await admin.query(`ALTER ROLE forecourt_app LOGIN PASSWORD '${APP_PASSWORD}'`);
}
