/** Name of an organization's audit log: the origin line of its checkpoints, and the name under which its key signs. */
export function logOrigin(gatewayId: string, organizationId: string): string {
  return `${gatewayId}/audit/${organizationId}`;
}
