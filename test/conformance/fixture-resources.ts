import type { ResourceTable } from '../../src/surfaces/mcp/resource-table.js';

const TEXT = 'test://static-text';
const DATA = /^test:\/\/template\/([A-Za-z0-9]{1,20})\/data$/;

/**
 * The product's resources, and beside them those that the conformance suite reads. Each read is a call of the operation behind
 * it, as everywhere. A resource of the product is a JSON document, so the suite's picture is not here.
 */
export const withFixtureResources = (own: ResourceTable): ResourceTable => ({
  resources: [...own.resources, { uri: TEXT, name: 'static-text', mimeType: 'application/json' }],
  templates: [
    ...own.templates,
    { uriTemplate: 'test://template/{id}/data', name: 'template-data', mimeType: 'application/json' },
  ],
  read: (uri) => {
    if (uri === TEXT) return { operation: 'test_static_text', input: {} };
    const id = DATA.exec(uri)?.[1];
    return id === undefined ? own.read(uri) : { operation: 'test_template_data', input: { id } };
  },
});
