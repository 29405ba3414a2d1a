/** An OAuth client of an issuer, as an organization knows it. Times are milliseconds. */
export interface AgentClient {
  readonly agentClientId: string;
  /** Counts its changes; the entity tag. */
  readonly version: number;
  readonly issuer: string;
  /** What the issuer calls it. */
  readonly clientId: string;
  readonly name: string;
  /** What its tokens carry; without one they open nothing. */
  readonly grantId: string | null;
  readonly createdAt: number;
  readonly revokedAt: number | null;
}
