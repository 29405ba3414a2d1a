import type {
  CallToolResult,
  ClientCapabilities,
  InputRequiredResult,
  McpServer,
  ServerContext,
} from '@modelcontextprotocol/server';
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
} from '@modelcontextprotocol/server';

/** Seals what a tool must remember between rounds; a fresh server answers each round, so only the sealed state lasts. */
export const requestState = createRequestStateCodec<Record<string, unknown>>({
  key: crypto.getRandomValues(new Uint8Array(32)),
});

type Round = CallToolResult | InputRequiredResult;

const NO_INPUT = fromJsonSchema<Record<string, never>>({ type: 'object', properties: {} });
const text = (words: string): CallToolResult => ({ content: [{ type: 'text', text: words }] });

function askFor(member: string, type: 'string' | 'boolean' = 'string'): ReturnType<typeof inputRequired.elicit> {
  return inputRequired.elicit({
    message: `Please give ${member}`,
    requestedSchema: { type: 'object', properties: { [member]: { type } as { type: 'string' } }, required: [member] },
  });
}
const askModel = (words: string): ReturnType<typeof inputRequired.createMessage> =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text: words } }], maxTokens: 50 });

const seal = (state: Record<string, unknown>): Promise<string> =>
  requestState.mint({ ...state, nonce: crypto.randomUUID() });
const given = (context: ServerContext, key: string, member: string): unknown =>
  acceptedContent(context.mcpReq.inputResponses, key)?.[member];

/** Tools that ask the client back and are called again with what it says (`input_required`). */
export function addRoundTripTools(server: McpServer): void {
  for (const [name, play] of Object.entries(ROUNDS))
    server.registerTool(name, { description: `Fixture: ${name}.`, inputSchema: NO_INPUT }, (_input, context) =>
      play(context),
    );
}

const ROUNDS: Readonly<Record<string, (context: ServerContext) => Round | Promise<Round>>> = {
  test_missing_capability: ({ mcpReq }) =>
    mcpReq.inputResponses?.['answer'] === undefined
      ? inputRequired({ inputRequests: { answer: askModel('Say: pong') } })
      : text('The model answered.'),
  test_input_required_result_elicitation: (context) => {
    const name = given(context, 'user_name', 'name');
    if (typeof name === 'string') return text(`Hello, ${name}!`);
    return inputRequired({ inputRequests: { user_name: askFor('name') } });
  },
  test_input_required_result_sampling: ({ mcpReq }) =>
    mcpReq.inputResponses?.['capital_question'] === undefined
      ? inputRequired({ inputRequests: { capital_question: askModel('What is the capital of France?') } })
      : text('The model answered.'),
  test_input_required_result_list_roots: ({ mcpReq }) =>
    mcpReq.inputResponses?.['client_roots'] === undefined
      ? inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
      : text('The client has roots.'),
  test_input_required_result_request_state: confirmed('The state came back as it was: state-ok'),
  test_input_required_result_tampered_state: confirmed('The state came back as it was: integrity-ok'),
  test_input_required_result_multiple_inputs: async ({ mcpReq }) =>
    ['user_name', 'greeting', 'client_roots'].every((key) => mcpReq.inputResponses?.[key] !== undefined)
      ? text('All three are here.')
      : inputRequired({
          inputRequests: {
            user_name: askFor('name'),
            greeting: askModel('Greet somebody.'),
            client_roots: inputRequired.listRoots(),
          },
          requestState: await seal({}),
        }),
  test_input_required_result_multi_round: async (context) => {
    const round = context.mcpReq.requestState<{ round?: number }>()?.round ?? 0;
    if (round === 2) return text('Both rounds are done.');
    const inputRequests = round === 0 ? { step1: askFor('name') } : { step2: askFor('color') };
    return inputRequired({ inputRequests, requestState: await seal({ round: round + 1 }) });
  },
  test_input_required_result_capabilities: ({ mcpReq }) => {
    if (mcpReq.inputResponses !== undefined) return text('Only what the client can do was asked.');
    const declared = (mcpReq.envelope as Record<string, ClientCapabilities> | undefined)?.[
      CLIENT_CAPABILITIES_META_KEY
    ];
    return inputRequired({
      inputRequests: {
        ...(declared?.elicitation === undefined ? {} : { user_name: askFor('name') }),
        ...(declared?.sampling === undefined ? {} : { greeting: askModel('Greet somebody.') }),
        ...(declared?.roots === undefined ? {} : { client_roots: inputRequired.listRoots() }),
      },
    });
  },
};

/** Asks for a confirmation beside sealed state; the SDK has refused state that was tampered with before a tool is called. */
function confirmed(words: string): (context: ServerContext) => Promise<Round> {
  return async (context) => {
    const isConfirmed = given(context, 'confirm', 'ok') !== undefined;
    if (isConfirmed && context.mcpReq.requestState() !== undefined) return text(words);
    return inputRequired({ inputRequests: { confirm: askFor('ok', 'boolean') }, requestState: await seal({}) });
  };
}
