import type { GetPromptResult, InputRequiredResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { acceptedContent, inputRequired } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { PIXEL_PNG } from './tool-fixtures.js';

type Content = GetPromptResult['messages'][number]['content'];
const said = (...contents: Content[]): GetPromptResult => ({
  messages: contents.map((content) => ({ role: 'user', content })),
});
const words = (text: string): Content => ({ type: 'text', text });

/** Prompts that the suite gets. */
export function addPrompts(server: McpServer): void {
  server.registerPrompt('test_simple_prompt', { description: 'Fixture.' }, () =>
    said(words('This is a simple prompt for testing.')),
  );
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'Fixture.', argsSchema: z.object({ arg1: z.string(), arg2: z.string() }) },
    ({ arg1, arg2 }) => said(words(`arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'Fixture.', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri: uri }) =>
      said({ type: 'resource', resource: { uri, mimeType: 'text/plain', text: 'Embedded.' } }, words('See above.')),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'Fixture.' }, () =>
    said({ type: 'image', data: PIXEL_PNG, mimeType: 'image/png' }, words('See above.')),
  );
  server.registerPrompt('test_input_required_result_prompt', { description: 'Fixture: asks back.' }, askingPrompt);
  server.server.setRequestHandler('completion/complete', () => ({
    completion: { values: [], total: 0, hasMore: false },
  }));
}

/** Without arguments a prompt is given the context alone, which the types of the SDK do not say. */
const askingPrompt = ((context: ServerContext): GetPromptResult | InputRequiredResult => {
  const answered = acceptedContent<{ context: string }>(context.mcpReq.inputResponses, 'user_context');
  if (answered !== undefined) return said(words(`Use this: ${answered.context}`));
  const requestedSchema = {
    type: 'object',
    properties: { context: { type: 'string' } },
    required: ['context'],
  } as const;
  return inputRequired({
    inputRequests: {
      user_context: inputRequired.elicit({
        message: 'Which context?',
        requestedSchema: { ...requestedSchema, required: ['context'] },
      }),
    },
  });
}) as unknown as () => GetPromptResult;
