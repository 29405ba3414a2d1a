/** Absolute URLs of the public documents. One place, so that manifest, documents and routes cannot disagree. */
export class PublicLinks {
  constructor(private readonly publicUrl: string) {}

  mcp(organizationId: string): string {
    return `${this.publicUrl}/organizations/${organizationId}/mcp`;
  }

  policy(organizationId: string): string {
    return `${this.publicUrl}/organizations/${organizationId}/policy`;
  }

  statement(organizationId: string): string {
    return `${this.publicUrl}/organizations/${organizationId}/conformance-statement.json`;
  }

  inventoryCsv(organizationId: string): string {
    return `${this.publicUrl}/organizations/${organizationId}/inventory.csv`;
  }

  schemas(): string {
    return `${this.publicUrl}/schemas/dap/0.1/`;
  }
}
