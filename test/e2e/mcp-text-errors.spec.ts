import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_ORGANIZATION } from '../../src/demo/demo-group.js';
import { callTool } from '../support/mcp-http.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';

describe.each(['fast', 'sdk'])('MCP_ERRORS=text with the %s dispatch', (dispatch) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ demo: false, env: { MCP_ERRORS: 'text', MCP_DISPATCH: dispatch } });
  });
  afterAll(() => service.stop());

  it('gives errors as text alone and answers as before', async () => {
    const url = `${service.origin}/mcp`;
    const refused = await callTool(url, 'dealeragent.inventory.get_vehicle', { organization_id: DEMO_ORGANIZATION });
    expect(refused.json.result).toMatchObject({ isError: true });
    expect(refused.json.result).not.toHaveProperty('structuredContent');
    expect(JSON.parse(refused.json.result.content[0].text as string)).toMatchObject({
      code: 'dealeragent.validation.invalid',
    });
    const answered = await callTool(url, 'dealeragent.dealer.get', { organization_id: DEMO_ORGANIZATION });
    expect(answered.json.result.structuredContent).toMatchObject({ organization_id: DEMO_ORGANIZATION });
  });
});
