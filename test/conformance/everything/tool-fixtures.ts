import { setTimeout as pause } from 'node:timers/promises';
import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { fromJsonSchema } from '@modelcontextprotocol/server';
import { JSON_SCHEMA_2020_12_INPUT } from '../json-schema-fixture.js';

type Content = CallToolResult['content'];

// One red pixel, and a WAV header without samples.
export const PIXEL_PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const SILENT_WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

const text = (words: string): CallToolResult => ({ content: [{ type: 'text', text: words }] });
const NO_INPUT = fromJsonSchema<Record<string, never>>({ type: 'object', properties: {} });
const image = { type: 'image', data: PIXEL_PNG, mimeType: 'image/png' } as const;

/** Tools that answer the same content always, by the names and with the content that the suite looks for. */
const CONTENT: Readonly<Record<string, Content>> = {
  test_simple_text: text('This is a simple text response for testing.').content,
  test_streaming_elicitation: text('Nothing is asked for on this stream.').content,
  test_image_content: [image],
  test_audio_content: [{ type: 'audio', data: SILENT_WAV, mimeType: 'audio/wav' }],
  test_embedded_resource: [
    { type: 'resource', resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'Embedded.' } },
  ],
  test_multiple_content_types: [
    { type: 'text', text: 'Text, an image and a resource:' },
    image,
    { type: 'resource', resource: { uri: 'test://mixed-content-resource', mimeType: 'application/json', text: '{}' } },
  ],
};

/** Tools that answer without asking back. */
export function addTools(server: McpServer): void {
  for (const [name, content] of Object.entries(CONTENT))
    server.registerTool(name, { description: `Fixture: ${name}.`, inputSchema: NO_INPUT }, () => ({ content }));
  server.registerTool('test_error_handling', { description: 'Fixture: always fails.', inputSchema: NO_INPUT }, () => {
    throw new Error('This fixture always fails.');
  });
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Fixture: much of JSON Schema 2020-12.', inputSchema: fromJsonSchema(JSON_SCHEMA_2020_12_INPUT) },
    () => text('The arguments match their schema.'),
  );
  addNotifyingTools(server);
}

/** Tools that send notifications before they answer. */
function addNotifyingTools(server: McpServer): void {
  server.registerTool(
    'test_logging_tool',
    { description: 'Fixture: logs where the request asks for a level.', inputSchema: NO_INPUT },
    async (_input, { mcpReq }) => {
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- the suite still scores it
      await mcpReq.log('info', 'logged');
      return text('logged');
    },
  );
  server.registerTool(
    'test_tool_with_logging',
    { description: 'Fixture: logs three times.', inputSchema: NO_INPUT },
    async (_input, { mcpReq }) => {
      for (const data of ['started', 'working', 'ended']) {
        await mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data } });
        await pause(50);
      }
      return text('logged three times');
    },
  );
  server.registerTool(
    'test_tool_with_progress',
    { description: 'Fixture: tells progress where the request has a token for it.', inputSchema: NO_INPUT },
    async (_input, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
        const params = { progressToken: progressToken as string, progress, total: 100 };
        await mcpReq.notify({ method: 'notifications/progress', params });
        await pause(50);
      }
      return text(String(progressToken ?? 'no token'));
    },
  );
}
