import { createMCPClient } from '@ai-sdk/mcp';
import { absentVehicle, runClient, SEARCH, searchArguments, VEHICLE } from './calls.mjs';

await runClient(async (endpoint, organizationId) => {
  const client = await createMCPClient({ transport: { type: 'http', url: endpoint } });
  const tools = await client.tools();
  const call = (name, args) => tools[name].execute(args, { toolCallId: 'call', messages: [] });
  const success = await call(SEARCH, searchArguments(organizationId));
  const failure = await call(VEHICLE, absentVehicle(organizationId));
  await client.close();
  return { tools: Object.keys(tools), success, failure };
});
