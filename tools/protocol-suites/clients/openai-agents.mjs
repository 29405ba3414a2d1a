import { MCPServerStreamableHttp } from '@openai/agents';
import { absentVehicle, runClient, SEARCH, searchArguments, VEHICLE } from './calls.mjs';

await runClient(async (endpoint, organizationId) => {
  const server = new MCPServerStreamableHttp({ url: endpoint, name: 'forecourt' });
  await server.connect();
  const tools = await server.listTools();
  const success = await server.callToolResult(SEARCH, searchArguments(organizationId));
  const failure = await server.callToolResult(VEHICLE, absentVehicle(organizationId));
  await server.close();
  return { tools: tools.map((tool) => tool.name), success, failure };
});
