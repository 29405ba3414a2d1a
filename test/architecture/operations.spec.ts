import { describe, expect, it } from 'vitest';
import { RETENTION_CATEGORIES } from '../../src/kernel/retention/retention-categories.js';
import { compileValidator } from '../../src/kernel/schema/validator.js';
import { readOperations } from './operation-table.js';

const operations = readOperations();

describe('The operation table', () => {
  it('holds the public reads of this version', () => {
    expect(operations.map((o) => o.name)).toEqual(
      expect.arrayContaining([
        'dealeragent.dealer.get',
        'dealeragent.discovery.get_manifest',
        'dealeragent.inventory.get_vehicle',
        'dealeragent.inventory.search',
      ]),
    );
  });

  it('lists operations by name, so that lists are the same in every process', () => {
    expect(operations.map((o) => o.name)).toEqual(operations.map((o) => o.name).toSorted());
  });
});

describe.each(operations.map((operation) => ({ name: operation.name, operation })))('$name', ({ operation }) => {
  it('declares access, data class, retention category and rate class', () => {
    expect(['public', 'granted']).toContain(operation.access);
    expect(['public_business', 'public_inventory', 'protected_retail']).toContain(operation.dataClass);
    expect(Object.keys(RETENTION_CATEGORIES)).toContain(operation.retentionCategory);
    expect(operation.rateClass).toBe('read');
  });

  it('is not public when it answers protected data', () => {
    expect(operation.dataClass === 'protected_retail' && operation.access === 'public').toBe(false);
  });

  it('declares its safety metadata and an audit class', () => {
    expect(['access_log', 'authoritative_read_event']).toContain(operation.safety.audit);
    expect(operation.safety.annotations.destructiveHint).toBe(false);
    expect(operation.safety.annotations.readOnlyHint).toBe(operation.safety.effect.startsWith('read'));
    expect(operation.safety.freshnessAuthority).toMatch(/^[a-z_]+$/);
    expect(operation.safety.legalOrFinancialCommitment).toBe(false);
  });

  it('has a name and a profile in the form of the protocol, a title and a description', () => {
    expect(operation.name).toMatch(/^[A-Za-z0-9_.-]{1,128}$/);
    expect(operation.profile).toMatch(/^dealeragent\.[a-z0-9.-]+\/[0-9]+\.[0-9]+$/);
    expect(operation.title.length).toBeGreaterThan(3);
    expect(operation.description.length).toBeGreaterThan(40);
  });

  it('has closed object schemas that compile and refer to nothing outside', () => {
    for (const schema of [operation.inputSchema, operation.outputSchema]) {
      expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(JSON.stringify(schema)).not.toContain('"$ref"');
      expect(() => compileValidator(schema)).not.toThrow();
    }
  });

  it('takes no text without a bound and no list without an end', () => {
    expect(unbounded(operation.inputSchema, '')).toEqual([]);
  });
});

interface SchemaNode {
  readonly type?: string;
  readonly [member: string]: unknown;
}

/** Lists without maxItems and strings without maxLength, pattern, format or enum, by their place in the schema. */
function unbounded(schema: SchemaNode, at: string): readonly string[] {
  const own: string[] = [];
  if (schema.type === 'array' && schema['maxItems'] === undefined) own.push(`${at}: array without maxItems`);
  const closedText = ['maxLength', 'pattern', 'format', 'enum', 'const'].some(
    (keyword) => schema[keyword] !== undefined,
  );
  if (schema.type === 'string' && !closedText) own.push(`${at}: string without a bound`);
  const members = Object.entries((schema['properties'] ?? {}) as Record<string, SchemaNode>);
  const items = schema['items'] as SchemaNode | undefined;
  return [
    ...own,
    ...members.flatMap(([name, member]) => unbounded(member, `${at}/${name}`)),
    ...(items === undefined ? [] : unbounded(items, `${at}/*`)),
  ];
}
