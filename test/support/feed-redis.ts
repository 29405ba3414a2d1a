import { spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';

export const HAS_REDIS = spawnSync('redis-server', ['--version']).status === 0;

export interface TestRedis {
  readonly url: string;
  readonly port: number;
  stop: () => void;
  /** Stops it where it is, connections and all, as a machine does that hangs. */
  freeze: () => void;
  thaw: () => void;
}

/** A Redis of its own, without persistence; on a free port unless one is given. */
export async function startRedis(onPort?: number): Promise<TestRedis> {
  const port = onPort ?? (await freePort());
  const server = startServer(port);
  await new Promise<void>((resolve, reject) => {
    server.stdout.on('data', (line: Buffer) => {
      if (line.toString().includes('Ready to accept connections')) resolve();
    });
    server.on('exit', () => {
      reject(new Error('redis-server ended'));
    });
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    stop: () => {
      server.removeAllListeners('exit');
      server.kill('SIGKILL');
    },
    freeze: () => server.kill('SIGSTOP'),
    thaw: () => server.kill('SIGCONT'),
  };
}

function freePort(): Promise<number> {
  return new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = probe.address() as AddressInfo;
      probe.close(() => {
        resolve(free);
      });
    });
  });
}

function startServer(port: number): ChildProcessByStdio<null, Readable, null> {
  return spawn(
    'redis-server',
    [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
      '--maxmemory-policy',
      'noeviction',
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
}
