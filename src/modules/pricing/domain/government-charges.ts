import type { Money } from '../../../kernel/money.js';
import type { Source } from '../../../kernel/schema/dap-common.js';
import type { Jurisdiction } from '../../../kernel/schema/dap-pricing.js';
import type { GovernmentChargeLine, GovernmentCharges, GovernmentStatus } from './disclosure-schema.js';

/** What somebody says about taxes, title and registration. */
export interface GovernmentStatement {
  /** A feed can claim anything; only a calculation made for this question by an authority is one. */
  readonly by: 'feed' | 'calculation';
  /** Absent: nothing was said. */
  readonly status?: GovernmentStatus;
  readonly jurisdiction?: Jurisdiction;
  readonly lines?: readonly GovernmentChargeLine[];
  readonly total?: Money;
  readonly assumptions?: readonly string[];
  /** Why there are none. */
  readonly basis?: string;
  readonly source?: Source;
}

export interface ClassifiedGovernmentCharges {
  readonly charges: GovernmentCharges;
  /** Why they are unknown; absent when they are not. */
  readonly reason?: string;
  /** Whether the classification is the source's own and holds: not missing, and not taken back here. */
  readonly classified: boolean;
}

const DEPENDS = 'They depend on where and how the buyer registers the vehicle.';
const UNKNOWN: GovernmentCharges = { status: 'unknown' };

/**
 * Holds a statement to the proof that its status needs (DAP §4.5): estimated needs amounts, assumptions and a source,
 * calculated an authoritative calculation, not_applicable a basis. What lacks its proof is unknown, with the reason; unknown
 * has no amounts and is not zero.
 */
export function classifyGovernmentCharges(statement: GovernmentStatement): ClassifiedGovernmentCharges {
  const { status } = statement;
  if (status === undefined)
    return { charges: UNKNOWN, classified: false, reason: `Government charges are not stated. ${DEPENDS}` };
  if (status === 'unknown')
    return { charges: UNKNOWN, classified: true, reason: `Government charges are unknown. ${DEPENDS}` };
  const lacking = whatIsLacking(status, statement);
  if (lacking !== undefined) {
    const reason = `Government charges are stated as ${status} without ${lacking}, so they count as unknown.`;
    return { charges: UNKNOWN, classified: false, reason };
  }
  return { charges: shown(status, statement), classified: true };
}

type ProvenStatus = Exclude<GovernmentStatus, 'unknown'>;

function whatIsLacking(status: ProvenStatus, statement: GovernmentStatement): string | undefined {
  if (status === 'not_applicable') return hasText(statement.basis) ? undefined : 'a basis';
  if (status === 'calculated' && !isAuthoritative(statement)) return 'an authoritative calculation';
  if (statement.source === undefined) return 'a source';
  if (status === 'estimated' && !(statement.assumptions ?? []).some(hasText)) return 'assumptions';
  return addsUp(statement) ? undefined : 'amounts that add up';
}

function isAuthoritative({ by, source }: GovernmentStatement): boolean {
  const authority = source?.authority;
  return by === 'calculation' && (authority === 'government' || authority === 'authoritative_dealer_system');
}

/** There is an amount, all are of one currency, and a total beside lines is their exact sum. */
function addsUp({ lines = [], total }: GovernmentStatement): boolean {
  const amounts = [...lines.map((line) => line.amount), ...(total === undefined ? [] : [total])];
  if (amounts.length === 0 || new Set(amounts.map((a) => a.currency)).size > 1) return false;
  if (total === undefined || lines.length === 0) return true;
  const sum = lines.reduce((before, line) => before + BigInt(line.amount.amount_minor), 0n);
  return sum === BigInt(total.amount_minor);
}

function shown(status: ProvenStatus, statement: GovernmentStatement): GovernmentCharges {
  const { jurisdiction, lines, total, basis, source } = statement;
  const place = jurisdiction === undefined ? {} : { jurisdiction };
  const provenance = source === undefined ? {} : { provenance: provenanceOf(status, source) };
  if (status === 'not_applicable') return { status, ...place, assumptions: [basis ?? ''], ...provenance };
  const assumptions = (statement.assumptions ?? []).filter(hasText);
  return {
    status,
    ...place,
    ...(lines === undefined ? {} : { lines: lines.map((line) => ({ ...line })) }),
    ...(total === undefined ? {} : { total: { ...total } }),
    ...(assumptions.length === 0 ? {} : { assumptions }),
    ...provenance,
  };
}

function provenanceOf(status: ProvenStatus, source: Source): NonNullable<GovernmentCharges['provenance']> {
  return { sources: [source], authority_status: status === 'calculated' ? 'authoritative' : 'asserted' };
}

function hasText(text: string | undefined): boolean {
  return text !== undefined && text.trim() !== '';
}
