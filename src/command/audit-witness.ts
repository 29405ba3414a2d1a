import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SystemClock } from '../kernel/time.js';
import { type NoteKey, verifierKey } from '../modules/audit/domain/log/signed-note.js';
import { openWitness } from '../modules/audit/witness.module.js';
import { readOrGenerate } from '../platform/config/secrets.js';
import { takeInstanceLock } from '../process/instance-lock.js';
import { CommandError, EXIT } from './exit-codes.js';
import type { Output } from './output.js';
import { readPublicKeys } from './public-keys.js';

export interface WitnessCommandOptions {
  readonly key: string;
  readonly state: string;
  readonly logKey: readonly string[];
  readonly origin?: readonly string[];
  readonly name: string;
  /** `host:port`. */
  readonly listen: string;
}

/**
 * `audit witness`: the organization's own witness, on its own machine. Needs no service and no database. Runs until it is told
 * to stop; what it signed is on the disk before it answers, so that it may be stopped in any way.
 */
export async function auditWitness(options: WitnessCommandOptions, output: Output): Promise<number> {
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(options.listen) ?? [];
  if (host === undefined || port === undefined) throw new CommandError('--listen takes host:port', EXIT.usage);
  if (!/^[^\s+]{1,200}$/.test(options.name))
    throw new CommandError('--name takes no spaces and no plus signs', EXIT.usage);
  const logKeys = await readPublicKeys(options.logKey);
  const privateKey = await readKey(options.key);
  const key: NoteKey = { name: options.name, kind: 'cosignature', publicKey: createPublicKey(privateKey) };
  const release = takeInstanceLock(options.state);
  try {
    const { origin: origins } = options;
    const watched = origins === undefined ? {} : { origins };
    const witness = { key, privateKey, logKeys, ...watched, clock: new SystemClock() };
    const server = await openWitness(options.state, witness, (line) => process.stderr.write(`${line}\n`));
    server.listen(Number(port), host.replaceAll(/[[\]]/g, ''));
    await once(server, 'listening');
    const address = `http://${host}:${(server.address() as AddressInfo).port}`;
    const verifier = verifierKey(key);
    output.result(`witness key: ${verifier}\nlistening on ${address}`, { witness_key: verifier, url: address });
    await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
    server.close();
    server.closeAllConnections();
    return EXIT.done;
  } finally {
    release();
  }
}

/** Its own key; made on the first start. */
async function readKey(file: string): Promise<KeyObject> {
  const pem = await readOrGenerate(file, () =>
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  );
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyType !== 'ed25519') throw new CommandError(`${file} must hold an Ed25519 key`, EXIT.usage);
  return key;
}
