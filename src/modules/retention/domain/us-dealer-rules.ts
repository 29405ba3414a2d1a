import type { PeriodDocument, RuleDocument } from './policy-document.js';

/** Floors are a day longer than the law says: its day ends later where the dealer is than in UTC. */
const A_DAY_MORE = 1;
const SECURITY_PROFILE = 'DAP security profile §6: a ceiling for each category';

const days = (count: number): PeriodDocument => ({ count, unit: 'days' });
const months = (count: number, plus_days?: number): PeriodDocument => period(count, 'months', plus_days);
const years = (count: number, plus_days?: number): PeriodDocument => period(count, 'years', plus_days);
const period = (count: number, unit: 'months' | 'years', plus_days?: number): PeriodDocument =>
  plus_days === undefined ? { count, unit } : { count, unit, plus_days };

type Said = Omit<RuleDocument, 'rule_id' | 'jurisdiction' | 'floor' | 'ceiling' | 'action'> &
  Partial<Pick<RuleDocument, 'jurisdiction' | 'floor' | 'ceiling' | 'action'>>;

const rule = (rule_id: string, said: Said): RuleDocument => ({
  rule_id,
  jurisdiction: '*',
  floor: null,
  ceiling: null,
  action: 'delete',
  ...said,
});

/** What the service keeps for itself: no law sets these ceilings, and something must. */
export const OWN_RULES: readonly RuleDocument[] = [
  rule('feed-file', {
    category: 'feed_file',
    clock: 'last_used',
    ceiling: days(90),
    ground: 'Disputes about a published value are settled from the file within a quarter.',
    citation: SECURITY_PROFILE,
  }),
  rule('quarantined-row', {
    category: 'quarantined_row',
    clock: 'closed',
    ceiling: days(90),
    ground: 'As long as the file that it came in.',
    citation: SECURITY_PROFILE,
  }),
  rule('superseded-snapshot', {
    category: 'superseded_snapshot',
    clock: 'closed',
    ceiling: days(30),
    ground: 'To go back to, and to show what was published lately.',
    citation: SECURITY_PROFILE,
  }),
  rule('unit-event', {
    category: 'unit_event',
    clock: 'created',
    ceiling: months(25),
    ground: 'Two model years of what became of a vehicle.',
    citation: SECURITY_PROFILE,
  }),
  rule('request-payload', {
    category: 'request_payload',
    clock: 'created',
    ceiling: { count: 24, unit: 'hours' },
    ground: 'To find what went wrong, today.',
    citation: SECURITY_PROFILE,
  }),
  rule('idempotency-record', {
    category: 'idempotency_record',
    clock: 'created',
    ceiling: days(2),
    ground: 'A repeated request finds its answer for a day.',
    citation: SECURITY_PROFILE,
  }),
  rule('session', {
    category: 'session',
    clock: 'last_used',
    ceiling: months(13),
    ground: 'Access reviews look back over one year.',
    citation: SECURITY_PROFILE,
  }),
  rule('audit-event', {
    category: 'audit_event',
    clock: 'created',
    ceiling: years(7),
    ground: 'Longer than any claim about what was disclosed.',
    citation: 'DAP security profile §7: audit storage is covered by a retention policy',
  }),
  rule('audit-event.values', {
    category: 'audit_event',
    clock: 'created',
    ceiling: months(25),
    action: 'redact',
    ground: 'Who acted is asked for two years; that it was done, and was allowed, is proved for seven.',
    citation: SECURITY_PROFILE,
  }),
  rule('audit-export', {
    category: 'audit_export',
    clock: 'closed',
    ceiling: days(90),
    ground: 'A copy of the trail; the trail itself stays.',
    citation: SECURITY_PROFILE,
  }),
  rule('access-history', {
    category: 'access_history',
    clock: 'closed',
    ceiling: years(7),
    ground: 'As long as the audit records that name it.',
    citation: SECURITY_PROFILE,
  }),
  rule('access-history.names', {
    category: 'access_history',
    clock: 'closed',
    ceiling: months(25),
    action: 'anonymise',
    ground: 'Names go with those of the audit records; what access there was stays.',
    citation: SECURITY_PROFILE,
  }),
  rule('approval', {
    category: 'approval',
    clock: 'closed',
    ceiling: years(7),
    ground: 'As long as the audit records that name it.',
    citation: SECURITY_PROFILE,
  }),
  rule('policy-version', {
    category: 'policy_version',
    clock: 'closed',
    ceiling: years(7),
    ground: 'As long as records that were decided by it.',
    citation: SECURITY_PROFILE,
  }),
];

/** Federal law on customer data, and California on privacy requests. */
export const US_RULES: readonly RuleDocument[] = [
  rule('lead.safeguards', {
    category: 'lead',
    jurisdiction: 'US',
    clock: 'last_used',
    ceiling: months(24),
    ground: 'Customer information is disposed of within two years after its last use.',
    citation: 'FTC Safeguards Rule, 16 CFR 314.4(c)(6)(i)',
  }),
  rule('consent.tsr', {
    category: 'consent',
    jurisdiction: 'US',
    clock: 'last_contact',
    floor: years(5, A_DAY_MORE),
    ground: 'Consents, opt-outs and call records are kept for five years.',
    citation: 'FTC Telemarketing Sales Rule, 16 CFR 310.5(a)-(b) (89 FR 26760)',
  }),
  rule('consent.tcpa', {
    category: 'consent',
    jurisdiction: 'US',
    clock: 'last_contact',
    floor: years(4, A_DAY_MORE),
    ground: 'A claim for a call without consent can be brought for four years.',
    citation: 'TCPA, 47 USC 227, with 28 USC 1658(a)',
  }),
  rule('consent.ceiling', {
    category: 'consent',
    clock: 'last_contact',
    ceiling: years(5, 90),
    ground: 'The longest floor, and time to carry the deletion out.',
    citation: SECURITY_PROFILE,
  }),
  rule('privacy-request.ccpa', {
    category: 'privacy_request',
    jurisdiction: 'US-CA',
    clock: 'closed',
    floor: months(24, A_DAY_MORE),
    ground: 'Requests of consumers, and what was answered, are kept for 24 months.',
    citation: 'CCPA regulations, 11 CCR 7101(a)',
  }),
  rule('privacy-request.ceiling', {
    category: 'privacy_request',
    clock: 'closed',
    ceiling: months(24, 30),
    ground: 'The longest floor, and time to carry the deletion out.',
    citation: SECURITY_PROFILE,
  }),
];

/** State law on what was offered and sold, for groups whose only record of it is here. */
export const OFFER_RULES: readonly RuleDocument[] = [
  rule('superseded-snapshot', {
    category: 'superseded_snapshot',
    clock: 'closed',
    ceiling: months(25),
    ground: 'The longest floor on offers, and time to carry the deletion out.',
    citation: SECURITY_PROFILE,
  }),
  rule('superseded-snapshot.cars', {
    category: 'superseded_snapshot',
    jurisdiction: 'US-CA',
    clock: 'closed',
    floor: months(24, A_DAY_MORE),
    ground: 'Advertised prices and what shows compliance are kept for two years.',
    citation:
      'California CARS Act, SB 766 (Stats. 2025, ch. 354), operative 2026-10-01. The federal CARS Rule, 16 CFR 463.6, said the same and was vacated (5th Cir. 2025).',
  }),
  rule('unit-event', {
    category: 'unit_event',
    clock: 'created',
    ceiling: years(5, 90),
    ground: 'The longest floor, and time to carry the deletion out.',
    citation: SECURITY_PROFILE,
  }),
  rule('unit-event.ca', {
    category: 'unit_event',
    jurisdiction: 'US-CA',
    clock: 'created',
    floor: years(3, A_DAY_MORE),
    ceiling: years(3, 90),
    ground: 'Business records of vehicle sales are kept for three years.',
    citation: '13 CCR 272.00(b)',
  }),
  rule('unit-event.tx', {
    category: 'unit_event',
    jurisdiction: 'US-TX',
    clock: 'created',
    floor: months(48, A_DAY_MORE),
    ceiling: months(48, 90),
    ground: 'Records of purchases and sales are kept for 48 months.',
    citation: '43 TAC 215.144(a)',
  }),
  rule('unit-event.fl', {
    category: 'unit_event',
    jurisdiction: 'US-FL',
    clock: 'created',
    floor: years(5, A_DAY_MORE),
    ceiling: years(5, 90),
    ground: 'Records of purchases and sales are kept for five years.',
    citation: 'Fla. Stat. 320.27(6)',
  }),
];

/** Credit applications among leads. */
export const CREDIT_RULES: readonly RuleDocument[] = [
  rule('lead.reg-b', {
    category: 'lead',
    jurisdiction: 'US',
    clock: 'last_used',
    floor: months(25, A_DAY_MORE),
    ground: 'Applications are kept for 25 months after notice of the action taken; the last use is never before it.',
    citation: 'Regulation B, 12 CFR 1002.12(b)(1); 12 CFR 202.12(b)(1) for dealers under the Federal Reserve',
  }),
  rule('lead.safeguards', {
    category: 'lead',
    jurisdiction: 'US',
    clock: 'last_used',
    ceiling: months(26),
    ground: 'Customer information is disposed of within two years after its last use, or when another law lets it go.',
    citation: 'FTC Safeguards Rule, 16 CFR 314.4(c)(6)(i)',
  }),
];
