// A process that numbers audit records over and over, to be killed in the middle. Arguments: database URL, records at once.
import pg from 'pg';

const [, , url, limit] = process.argv;
const client = new pg.Client({ connectionString: url, options: '-c role=forecourt_app -c search_path=forecourt' });
await client.connect();
process.stdout.write('ready\n');
for (;;) {
  await client.query('SELECT sequence_audit($1)', [Number(limit)]);
  await new Promise((wait) => setTimeout(wait, 2));
}
