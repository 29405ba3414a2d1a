import type { FastifyInstance } from 'fastify';

/**
 * A JSON body has to be there in this time. The server's own timeout leaves room for large feed files over slow lines; a
 * small body that drips in would hold its connection as long. It ends like any request that is too slow: 408, and the
 * connection is closed.
 */
export function endSlowBodies(fastify: FastifyInstance, deadlineMs: number): void {
  fastify.addHook('preParsing', (request, _reply, payload, done) => {
    const { raw } = request;
    if (request.headers['content-type']?.startsWith('application/json') === true && !raw.readableEnded) {
      const timer = setTimeout(() => {
        const error = Object.assign(new Error('the body took too long'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
        fastify.server.emit('clientError', error, raw.socket);
      }, deadlineMs);
      const stop = (): void => {
        clearTimeout(timer);
      };
      payload.once('end', stop);
      raw.once('close', stop);
    }
    done(null, payload);
  });
}
