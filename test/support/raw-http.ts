import { request } from 'node:http';
import { connect } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const parsed = (text: string): RawAnswer => {
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, end < 0 ? text.length : end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { status: Number(statusLine.split(' ')[1]), headers, text: end < 0 ? '' : text.slice(end + 4) };
};

/**
 * Writes bytes to a socket as they are and reads until the other side closes; `finish` false leaves the request half
 * sent and reads what came until `patienceMs` passed.
 */
export function exchange(
  port: number,
  pieces: readonly (string | Uint8Array)[],
  patienceMs = 5000,
): Promise<RawAnswer & { readonly closed: boolean }> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const finish = (closed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      done({ ...parsed(text), closed });
    };
    const timer = setTimeout(() => {
      finish(false);
    }, patienceMs);
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('error', () => undefined); // a reset is a way of closing
    socket.on('close', () => {
      finish(true);
    });
    for (const piece of pieces) socket.write(piece);
  });
}

/** A request with headers that `fetch` would not let through, such as Host. */
export function rawRequest(
  port: number,
  path: string,
  options: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string | Uint8Array | readonly (string | Uint8Array)[];
  } = {},
): Promise<RawAnswer> {
  return new Promise((done, fail) => {
    const { method = 'POST', headers = {}, body = '' } = options;
    const sent = request(
      { port, host: '127.0.0.1', path, method, headers: { ...headers }, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => {
          const given = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
          done({ status: response.statusCode ?? 0, headers: Object.fromEntries(given), text });
        });
      },
    );
    sent.on('error', fail);
    const pieces = typeof body === 'string' || body instanceof Uint8Array ? [body] : body;
    for (const piece of pieces.slice(0, -1)) sent.write(piece);
    sent.end(pieces.at(-1));
  });
}
