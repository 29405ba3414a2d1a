// What every client is asked to do: one call that succeeds and one that must fail as documented.
export const SEARCH = 'dealeragent.inventory.search';
export const VEHICLE = 'dealeragent.inventory.get_vehicle';

export const searchArguments = (organizationId) => ({
  organization_id: organizationId,
  query: 'honda',
  page: { limit: 2 },
});

/** A vehicle that does not exist: `dealeragent.resource.not_found`, whatever the client makes of it. */
export const absentVehicle = (organizationId) => ({
  organization_id: organizationId,
  rooftop_id: 'roof.downtown',
  vehicle_id: 'veh.absent',
});

/** Called as `node <client>.mjs <endpoint> <organization>`; prints one line of JSON for the runner. */
export async function runClient(work) {
  const [endpoint, organizationId] = process.argv.slice(2);
  const seen = await work(endpoint, organizationId);
  process.stdout.write(`\n${JSON.stringify(seen)}\n`);
  process.exit(0);
}
