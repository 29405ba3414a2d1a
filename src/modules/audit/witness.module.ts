import type { Server } from 'node:http';
import { Witness, type WitnessOptions } from './app/witness/witness.js';
import { WitnessFolder } from './infra/witness/witness-folder.js';
import { witnessServer } from './infra/witness/witness-server.js';

/**
 * The witness put together: a program of its own, which has nothing of the service.
 * @param folder where it keeps what it signed
 * @param log complaints and alarms, one line each
 * @returns its server, which does not listen yet
 */
export async function openWitness(
  folder: string,
  options: Omit<WitnessOptions, 'alarm'>,
  log: (line: string) => void,
): Promise<Server> {
  return witnessServer(new Witness(await WitnessFolder.open(folder), { ...options, alarm: log }), log);
}
