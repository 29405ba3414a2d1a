// What the same tools cost on the SDK's own handler: `sdk-high` is the documented way (a McpServer for each request, our schemas,
// validation of input and output), `sdk-low` the low-level Server. Handlers do nothing but give a recorded answer.
import { createServer } from 'node:http';
import { createMcpHandler, fromJsonSchema, McpServer, Server } from '@modelcontextprotocol/server';

const INFO = { name: 'bench', version: '1.0.0' };
const CAPABILITIES = { capabilities: { tools: {} } };
const kind = process.argv[2];

process.once('message', ({ tools, answer }) => {
  const given = {
    content: [{ type: 'text', text: JSON.stringify(answer) }],
    structuredContent: answer,
  };
  const handler = createMcpHandler(kind === 'sdk-high' ? highLevel(tools, given) : lowLevel(tools, given));
  const server = createServer((request, response) => void respond(handler, request, response));
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
});

function highLevel(tools, given) {
  const registered = tools.map(({ name, description, inputSchema, outputSchema }) => [
    name,
    { description, inputSchema: fromJsonSchema(inputSchema), outputSchema: fromJsonSchema(outputSchema) },
  ]);
  return () => {
    const server = new McpServer(INFO, CAPABILITIES);
    for (const [name, config] of registered) server.registerTool(name, config, () => given);
    return server;
  };
}

function lowLevel(tools, given) {
  return () => {
    const server = new Server(INFO, CAPABILITIES);
    server.setRequestHandler('tools/list', () => ({ tools }));
    server.setRequestHandler('tools/call', () => given);
    return server;
  };
}

async function respond(handler, incoming, outgoing) {
  const chunks = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const parsedBody = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  const request = new Request(`http://127.0.0.1${incoming.url}`, { method: 'POST', headers: incoming.headers });
  const response = await handler.fetch(request, { parsedBody });
  const body = await response.text();
  outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(body);
}
