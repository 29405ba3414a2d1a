import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { absentVehicle, runClient, SEARCH, searchArguments, VEHICLE } from './calls.mjs';

const BRIDGE = fileURLToPath(new URL('../node_modules/mcp-remote/dist/proxy.js', import.meta.url));

// A desktop client as it is usually configured: stdio to the bridge, the bridge over HTTP to the gateway.
await runClient(async (endpoint, organizationId) => {
  const client = new Client({ name: 'forecourt-suites', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [BRIDGE, endpoint, '--allow-http', '--transport', 'http-only'],
      stderr: 'ignore',
    }),
  );
  const { tools } = await client.listTools();
  const success = await client.callTool({ name: SEARCH, arguments: searchArguments(organizationId) });
  const failure = await client.callTool({ name: VEHICLE, arguments: absentVehicle(organizationId) });
  await client.close();
  return { tools: tools.map((tool) => tool.name), success, failure };
});
