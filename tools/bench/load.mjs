// Load from this process against a server in another one, and the server's CPU time as the kernel counts it.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';

const TICK_MS = 1000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** CPU milliseconds, user and system, that a process has used so far (Linux). */
export function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Highest resident memory of a process so far, MiB (Linux). */
export function peakMiB(pid) {
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024);
}

/** Current resident memory, MiB (Linux). */
export function residentMiB(pid) {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024);
}

/**
 * Closed loop: `connections` callers, each sending the next request when its answer is there.
 * @returns requests, requests per second, p50 and p99 in ms, and the server's CPU µs a request.
 */
export async function closedLoop(target, { connections, seconds = Infinity, requests = Infinity }) {
  const pool = new Pool(target.origin, { connections, pipelining: 1 });
  const latencies = [];
  const before = cpuMs(target.pid);
  const started = performance.now();
  let sent = 0;
  const caller = async () => {
    while (sent < requests && performance.now() - started < seconds * 1000) {
      sent++;
      latencies.push(await once(pool, target));
    }
  };
  await Promise.all(Array.from({ length: connections }, caller));
  const elapsed = (performance.now() - started) / 1000;
  const cpu = cpuMs(target.pid) - before;
  await pool.close();
  return summary(latencies, elapsed, cpu);
}

/** Open loop: `rate` requests a second whatever the answers do, so that waiting is counted and not hidden. */
export async function openLoop(target, { rate, seconds }) {
  const pool = new Pool(target.origin, { connections: 32, pipelining: 1 });
  const latencies = [];
  const before = cpuMs(target.pid);
  const started = performance.now();
  const pending = new Set();
  for (let i = 0; i < rate * seconds; i++) {
    const due = started + (i * 1000) / rate;
    const wait = due - performance.now();
    if (wait > 0.5) await new Promise((done) => setTimeout(done, wait));
    const request = once(pool, target).then(() => latencies.push(performance.now() - due));
    pending.add(request);
    void request.finally(() => pending.delete(request));
  }
  await Promise.all(pending);
  const elapsed = (performance.now() - started) / 1000;
  const cpu = cpuMs(target.pid) - before;
  await pool.close();
  return summary(latencies, elapsed, cpu);
}

async function once(pool, target) {
  const at = performance.now();
  const { statusCode, body } = await pool.request({
    method: 'POST',
    path: target.path,
    headers: { 'content-type': 'application/json', ...target.headers },
    body: target.next(),
  });
  if (target.check === undefined) await body.dump();
  else target.check(statusCode, await body.text());
  if (statusCode !== 200) throw new Error(`the server answered ${statusCode}`);
  return performance.now() - at;
}

function summary(latencies, elapsed, cpu) {
  const sorted = Float64Array.from(latencies).sort();
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return {
    requests: sorted.length,
    perSecond: sorted.length / elapsed,
    p50: at(0.5),
    p99: at(0.99),
    cpuMicros: (cpu * 1000) / sorted.length,
  };
}
