import type { McpServer } from '@modelcontextprotocol/server';
import { ResourceTemplate } from '@modelcontextprotocol/server';
import { PIXEL_PNG } from './tool-fixtures.js';

/** Resources at the addresses that the suite reads. */
export function addResources(server: McpServer): void {
  addText(server, 'static-text', 'test://static-text');
  addText(server, 'watched-resource', 'test://watched-resource');
  const binary = 'test://static-binary';
  server.registerResource('static-binary', binary, { mimeType: 'image/png' }, () => ({
    contents: [{ uri: binary, mimeType: 'image/png', blob: PIXEL_PNG }],
  }));
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  server.registerResource('template', template, { mimeType: 'application/json' }, (uri, { id }) => ({
    contents: [{ uri: uri.toString(), mimeType: 'application/json', text: JSON.stringify({ id }) }],
  }));
  // Nothing is kept: a fixture without sessions has nobody to tell of a change.
  server.server.setRequestHandler('resources/subscribe', () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', () => ({}));
}

function addText(server: McpServer, name: string, uri: string): void {
  server.registerResource(name, uri, { mimeType: 'text/plain' }, () => ({
    contents: [{ uri, mimeType: 'text/plain', text: `The text of ${name}.` }],
  }));
}
