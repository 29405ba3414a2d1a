import { DEMO_ORGANIZATION } from '../demo/demo-group.js';
import { LIMITS } from '../kernel/limits.js';
import type { IssuedCode } from '../modules/staff/index.js';

const CODE_MINUTES = LIMITS.staffCodeSeconds.value / 60;

/** What a first-time user needs, as the last thing on the screen. */
export function readyBlock(
  publicUrl: string,
  {
    keyFile,
    agentKeyFile,
    operatorKeyFile,
    codes,
    demo,
  }: {
    readonly keyFile: string | undefined;
    readonly agentKeyFile: string | undefined;
    readonly operatorKeyFile: string | undefined;
    /** One-time codes of the local staff: shown here and nowhere else. */
    readonly codes: readonly IssuedCode[];
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
    ...codes.map(
      ({ personId, code }, i) => `  ${(i === 0 ? 'Staff codes' : '').padEnd(13)}  ${personId.padEnd(16)}  ${code}`,
    ),
    ...(codes.length === 0
      ? []
      : [
          `                 each works once, for ${CODE_MINUTES} minutes: npx forecourt login --person ${codes[0]?.personId ?? ''}`,
        ]),
    `  Health         ${publicUrl}/health/ready`,
    '  Stop           Ctrl-C',
    '',
  ];
  return lines.join('\n');
}
