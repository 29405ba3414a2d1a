import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { absentVehicle, runClient, SEARCH, searchArguments, VEHICLE } from './calls.mjs';

await runClient(async (endpoint, organizationId) => {
  const client = new MultiServerMCPClient({ mcpServers: { forecourt: { transport: 'http', url: endpoint } } });
  const tools = await client.getTools();
  const call = (name, args) => tools.find((tool) => tool.name === name).invoke(args);
  const success = await call(SEARCH, searchArguments(organizationId));
  // This adapter throws what a tool answers as an error, with the text of the answer.
  const failure = await call(VEHICLE, absentVehicle(organizationId)).catch((error) => ({ thrown: error.message }));
  await client.close();
  return { tools: tools.map((tool) => tool.name), success, failure };
});
