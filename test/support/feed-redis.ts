import { spawn, spawnSync } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';

export const HAS_REDIS = spawnSync('redis-server', ['--version']).status === 0;

/** A Redis of its own on a free port, without persistence. */
export async function startRedis(): Promise<{ url: string; stop: () => void }> {
  const port = await new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = probe.address() as AddressInfo;
      probe.close(() => {
        resolve(free);
      });
    });
  });
  const server = spawn(
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
    stop: () => {
      server.removeAllListeners('exit');
      server.kill('SIGKILL');
    },
  };
}
