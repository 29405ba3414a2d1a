import type pg from 'pg';

const AGED = ['audit_events', 'audit_entries'];

/**
 * Moves the first rows of a log into a month, made like any other: a trail as old as a test needs it.
 * @param admin a superuser, with the schema as its search path
 * @param month `2020_01`
 */
export async function ageAuditLog(
  admin: pg.ClientBase,
  organizationId: string,
  rows: number,
  month: string,
): Promise<void> {
  await addAuditMonth(admin, month);
  for (const table of AGED) await admin.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
  const first = `${month.replace('_', '-')}-10T00:00:00Z`;
  await admin.query(
    `WITH old AS (SELECT recorded_at, event_id, $2::timestamptz + seq * interval '1 second' AS at FROM audit_entries WHERE organization_id = $1 AND seq < $3)
     UPDATE audit_events e SET recorded_at = old.at FROM old WHERE e.recorded_at = old.recorded_at AND e.event_id = old.event_id`,
    [organizationId, first, rows],
  );
  await admin.query(
    `UPDATE audit_entries SET recorded_at = $2::timestamptz + seq * interval '1 second' WHERE organization_id = $1 AND seq < $3`,
    [organizationId, first, rows],
  );
  for (const table of AGED) {
    const { rows: triggers } = await admin.query<{ tgname: string }>(
      `SELECT tgname FROM pg_trigger WHERE tgrelid = $1::regclass AND NOT tgisinternal`,
      [table],
    );
    for (const { tgname } of triggers) await admin.query(`ALTER TABLE ${table} ENABLE ALWAYS TRIGGER ${tgname}`);
  }
}

/** Makes a month of the trail and the year of its entries, where they are not there. @param month `2020_01` */
export async function addAuditMonth(admin: pg.ClientBase, month: string): Promise<void> {
  const name = `audit_events_${month}`;
  const { rows } = await admin.query<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [name]);
  if (rows[0]?.there === true) return;
  const from = `${month.replace('_', '-')}-01T00:00:00Z`;
  const until = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 1)).toISOString();
  await admin.query(`SET ROLE forecourt_owner;
    SELECT ensure_audit_year('${from}');
    CREATE TABLE ${name} (LIKE audit_events INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED);
    SELECT guard_audit_month('${name}');
    SELECT isolate_tenant_table('${name}');
    ALTER TABLE audit_events ATTACH PARTITION ${name} FOR VALUES FROM ('${from}') TO ('${until}');
    RESET ROLE`);
}
