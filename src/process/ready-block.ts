import { DEMO_ORGANIZATION } from '../demo/demo-group.js';

/** What a first-time user needs, as the last thing on the screen. */
export function readyBlock(
  publicUrl: string,
  {
    keyFile,
    agentKeyFile,
    operatorKeyFile,
    demo,
  }: {
    readonly keyFile: string | undefined;
    readonly agentKeyFile: string | undefined;
    readonly operatorKeyFile: string | undefined;
    readonly demo: boolean;
  },
): string {
  const call = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'dealeragent.inventory.search',
      arguments: { organization_id: DEMO_ORGANIZATION, query: 'honda', page: { limit: 3 } },
    },
  });
  const lines = [
    '',
    'Forecourt is ready.',
    '',
    `  MCP endpoint   ${demo ? `${publicUrl}/organizations/${DEMO_ORGANIZATION}/mcp` : `${publicUrl}/organizations/{organization_id}/mcp`}`,
    `                 ${publicUrl}/mcp serves the default organization`,
    ...(demo ? [`  Try it         curl -s ${publicUrl}/mcp -H 'content-type: application/json' -d '${call}'`] : []),
    ...(keyFile === undefined ? [] : [`  Admin key      ${keyFile}`]),
    ...(operatorKeyFile === undefined ? [] : [`  Operator key   ${operatorKeyFile}`]),
    ...(agentKeyFile === undefined ? [] : [`  Agent key      ${agentKeyFile}`]),
    `  Health         ${publicUrl}/health/ready`,
    '  Stop           Ctrl-C',
    '',
  ];
  return lines.join('\n');
}
