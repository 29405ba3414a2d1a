// What is asked of a large trail: each with common and with rare values, first pages and pages far behind.
import { VEHICLES } from './audit-trail-rows.mjs';

const days = (n) => new Date(Date.now() - n * 86_400_000).toISOString();
const any = (n) => Math.floor(Math.random() * n);
const vehicle = () => `veh.${String(any(VEHICLES)).padStart(25, '0')}`;

/** Name, and the filter of one question; a fresh one each time. */
export const SEARCHES = {
  newest: () => ({}),
  'a day long ago': () => ({ from: days(200), to: days(199) }),
  'trace id': () => ({ traceId: `trc_${String(any(1_000_000) + 1).padStart(26, '0')}` }),
  actor: () => ({ actor: `agent.${any(400)}` }),
  client: () => ({ client: `https://client.example/${any(50)}` }),
  'tool, common': () => ({ operation: 'dealeragent.inventory.search' }),
  'tool, rare': () => ({ operation: 'dealeragent.rare.tool' }),
  'tool, never': () => ({ operation: 'dealeragent.never.used' }),
  'profile, rare': () => ({ profile: 'dap.rare.v1' }),
  'surface admin': () => ({ surface: 'admin' }),
  'surface command': () => ({ surface: 'command' }),
  'surface a2a, never': () => ({ surface: 'a2a' }),
  rooftop: () => ({ rooftopId: `roof.${any(300)}` }),
  'rooftop, rare': () => ({ rooftopId: 'roof.rare' }),
  'rooftop and denied': () => ({ rooftopId: `roof.${any(300)}`, outcome: 'denied' }),
  vehicle: () => ({ resourceId: vehicle() }),
  'vehicle of an actor': () => ({ resourceId: vehicle(), actor: `agent.${any(400)}` }),
  denied: () => ({ decision: 'deny' }),
  failed: () => ({ outcome: 'failed' }),
  'policy version long ago': () => ({ policyVersion: 'policy.dealer@2' }),
  'policy version, tool and month': () => ({
    policyVersion: `policy.dealer@${any(12)}`,
    operation: 'dealeragent.inventory.get_vehicle',
    from: days(180),
    to: days(150),
  }),
};

export const BREACH_QUESTIONS = {
  'who touched a vehicle': () => ({ subject: vehicle() }),
  'who touched an agent': () => ({ subject: `agent.${any(400)}` }),
  'what did an agent reach': () => ({ actor: `agent.${any(400)}` }),
  'what did the largest agent reach': () => ({ actor: 'agent.large' }),
};
