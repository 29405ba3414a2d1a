// What is asked of a large trail: every condition by itself, with common and with rare values, and the pairs that people use.
import { AGENTS, HOT_VEHICLE, RARE_ROOFTOP, ROOFTOPS, rooftopId, VEHICLES, vehicleId } from './audit-trail-rows.mjs';

const DAY_MS = 86_400_000;
const days = (n) => new Date(Date.now() - n * DAY_MS).toISOString();
const any = (n) => Math.floor(Math.random() * n);
const vehicle = () => vehicleId(any(VEHICLES));
const rooftop = () => rooftopId(any(ROOFTOPS));
const agent = () => `agent.${any(AGENTS)}`;
const LARGE = 'agent.large';

/** Name, and the filter of one question; a fresh one each time. `count` is how many records the trail has. */
export const searches = (count) => ({
  newest: () => ({}),
  'a day long ago': () => {
    const day = 30 + any(270);
    return { from: days(day), to: days(day - 1) };
  },
  'trace id': () => ({ traceId: `trc_${String(any(count) + 1).padStart(26, '0')}` }),
  actor: () => ({ actor: agent() }),
  'actor, largest': () => ({ actor: LARGE }),
  'actor, largest, and denied': () => ({ actor: LARGE, outcome: 'denied' }),
  'actor and tool': () => ({ actor: agent(), operation: 'dealeragent.inventory.get_vehicle' }),
  'actor and rooftop': () => ({ actor: agent(), rooftopId: rooftop() }),
  'actor, largest, and rooftop': () => ({ actor: LARGE, rooftopId: rooftop() }),
  'actor and a week': () => {
    const day = 30 + any(270);
    return { actor: agent(), from: days(day), to: days(day - 7) };
  },
  'staff member': () => ({ actor: `staff.${any(20)}` }),
  client: () => ({ client: `https://client.example/${any(50)}` }),
  'tool, common': () => ({ operation: 'dealeragent.inventory.search' }),
  'tool, rare': () => ({ operation: 'dealeragent.rare.tool' }),
  'tool, never': () => ({ operation: 'dealeragent.never.used' }),
  'profile, rare': () => ({ profile: 'dap.rare.v1' }),
  'surface admin': () => ({ surface: 'admin' }),
  'surface command': () => ({ surface: 'command' }),
  'surface a2a, never': () => ({ surface: 'a2a' }),
  rooftop: () => ({ rooftopId: rooftop() }),
  'rooftop, rare': () => ({ rooftopId: RARE_ROOFTOP }),
  'rooftop, never': () => ({ rooftopId: rooftopId('never') }),
  'rooftop and denied': () => ({ rooftopId: rooftop(), outcome: 'denied' }),
  'rooftop and tool': () => ({ rooftopId: rooftop(), operation: 'dealeragent.inventory.search' }),
  'rooftop and a week': () => {
    const day = 30 + any(270);
    return { rooftopId: rooftop(), from: days(day), to: days(day - 7) };
  },
  vehicle: () => ({ resourceId: vehicle() }),
  'vehicle, hot': () => ({ resourceId: HOT_VEHICLE }),
  'vehicle, hot, of an actor': () => ({ resourceId: HOT_VEHICLE, actor: agent() }),
  denied: () => ({ decision: 'deny' }),
  failed: () => ({ outcome: 'failed' }),
  'failed and tool': () => ({ outcome: 'failed', operation: 'dealeragent.inventory.search' }),
  'policy version': () => ({ policyVersion: `policy.dealer@${any(12)}` }),
  'policy version, tool and month': () => ({
    policyVersion: 'policy.dealer@6',
    operation: 'dealeragent.inventory.get_vehicle',
    from: days(180),
    to: days(150),
  }),
});

export const SUMS = {
  'who touched a vehicle': () => ({ subject: vehicle() }),
  'who touched the hot vehicle': () => ({ subject: HOT_VEHICLE }),
  'who touched an agent': () => ({ subject: agent() }),
  'what did an agent reach': () => ({ actor: agent() }),
  'what did the largest agent reach': () => ({ actor: LARGE }),
  'what did the largest reach in a month': () => ({ actor: LARGE, from: days(120), to: days(90) }),
};

const quarter = (id) => ({ rooftopId: id, from: days(180), to: days(180 - 92) });
export const RECEIPTS = {
  'receipts of a rooftop, 92 days': () => quarter(rooftop()),
  'receipts of the largest rooftop, 92 days': () => quarter(rooftopId(0)),
  'receipts of a rare rooftop, 92 days': () => quarter(RARE_ROOFTOP),
};
