import { COMMAND_TOKEN, isLoopback, readEnvironment } from '../platform/config/load-settings.js';
import { CommandError, EXIT } from './exit-codes.js';
import { GatewayClient } from './gateway-client.js';
import { LineSplitter } from './line-splitter.js';
import { StdioBridge } from './stdio-bridge.js';

/** The gateway takes one megabyte; a line may be somewhat longer by its white space. */
const LINE_MAX_BYTES = 4_194_304;

export const DEFAULT_GATEWAY_URL = 'http://127.0.0.1:8080/mcp';

/**
 * `stdio`: lets a desktop client that starts programs talk to a running gateway. Standard output carries the protocol and
 * nothing else. Ends with 0 at the end of input and on SIGTERM.
 */
export async function stdioCommand(url: string): Promise<number> {
  const token = readEnvironment()[COMMAND_TOKEN];
  checkUrl(url, token);
  const log = (line: string): void => void process.stderr.write(`forecourt stdio: ${line}\n`);
  const gateway = new GatewayClient(url, token === '' ? undefined : token);
  const bridge = new StdioBridge(gateway, (line) => void process.stdout.write(`${line}\n`), log);
  const lines = new LineSplitter(LINE_MAX_BYTES, (line) => bridge.take(line));
  const stopped = await inputEnds(lines);
  if (stopped) await bridge.stop();
  else await bridge.end();
  return EXIT.done;
}

/** @throws CommandError for an address that cannot be used, or that would show the token to the network. */
function checkUrl(url: string, token: string | undefined): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !['http:', 'https:'].includes(parsed.protocol))
    throw new CommandError('--url takes the http or https address of an MCP endpoint', EXIT.usage);
  const host = parsed.hostname.replaceAll(/[[\]]/g, '');
  if (token !== undefined && token !== '' && parsed.protocol === 'http:' && !isLoopback(host))
    throw new CommandError(`${COMMAND_TOKEN} is sent over https only, except to this machine`, EXIT.usage);
}

/** Reads standard input until it ends, or until the process is told to stop, or nobody reads what it writes. */
function inputEnds(lines: LineSplitter): Promise<boolean> {
  return new Promise((done) => {
    process.stdin.on('data', (chunk: Buffer) => lines.push(chunk));
    process.stdin.once('end', () => {
      lines.end();
      done(false);
    });
    const stop = (): void => {
      process.stdin.destroy();
      done(true);
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop);
    process.stdout.on('error', stop);
  });
}
