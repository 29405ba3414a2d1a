// The constants that everything is compared with: one answer of fixed bytes to any POST. `node baseline-servers.mjs http|fastify`.
import { createServer } from 'node:http';
import Fastify from 'fastify';

const ANSWER = Buffer.from(
  JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'x'.repeat(200) }] } }),
);

if (process.argv[2] === 'http') {
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString('utf8'));
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': ANSWER.length }).end(ANSWER);
    });
  });
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
} else {
  const app = Fastify();
  app.post('/*', (_request, reply) => reply.header('content-type', 'application/json').send(ANSWER));
  await app.listen({ port: 0, host: '127.0.0.1' });
  process.send(app.server.address().port);
}
