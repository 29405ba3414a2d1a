/**
 * Holds clients and issuers against what authenticating relies on, before they are put in force: they may come from a file.
 * @throws Error naming what is wrong, never a value.
 */
export function checkClientContent(content: unknown): void {
  const { clients, issuers } = (content ?? {}) as { clients?: unknown; issuers?: unknown };
  if (!Array.isArray(clients) || !Array.isArray(issuers)) throw new Error('clients or issuers are missing');
  if (!clients.every((client) => isClient(client as Fields))) throw new Error('a client is malformed');
  if (!issuers.every((issuer) => isIssuer(issuer as Fields))) throw new Error('an issuer is malformed');
}

type Fields = Readonly<Record<string, unknown>>;

function isClient(client: Fields): boolean {
  return (
    [client['agentClientId'], client['issuer'], client['clientId'], client['name']].every(isText) &&
    typeof client['version'] === 'number' &&
    (client['grantId'] === null || isText(client['grantId'])) &&
    typeof client['createdAt'] === 'number' &&
    isTimeOrNull(client['revokedAt'])
  );
}

function isIssuer(record: Fields): boolean {
  const trust = (record['trust'] ?? {}) as Fields;
  return (
    isText(record['trustedIssuerId']) &&
    typeof record['createdAt'] === 'number' &&
    isTimeOrNull(record['revokedAt']) &&
    isText(trust['issuer']) &&
    isTextIfThere(trust['jwksUri']) &&
    isAlgorithms(trust['algorithms']) &&
    // Absent would mean that tokens need not be bound: what is not known must not loosen anything.
    typeof trust['requiresDpop'] === 'boolean' &&
    isIntrospection(trust['introspection'] as Fields | undefined)
  );
}

/** An empty list would be none that is allowed; an absent one all of them, which no row of the table says. */
const isAlgorithms = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isText);

const isIntrospection = (value: Fields | undefined): boolean =>
  value === undefined || [value['endpoint'], value['clientId'], value['credential']].every(isText);

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isTextIfThere = (value: unknown): boolean => value === undefined || isText(value);
const isTimeOrNull = (value: unknown): boolean => value === null || typeof value === 'number';
