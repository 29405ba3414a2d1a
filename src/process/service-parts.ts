/** The parts of a running service, by class or token: what commands, the demo and tests work on. */
export interface ServiceParts {
  get<T>(token: symbol | (abstract new (...args: never[]) => T)): T;
}

interface Container {
  get(token: unknown, options: { strict: false }): unknown;
}

/** The parts of a Nest application or context. */
export const partsOf = (container: unknown): ServiceParts => ({
  get: <T>(token: symbol | (abstract new (...args: never[]) => T)): T =>
    (container as Container).get(token, { strict: false }) as T,
});
