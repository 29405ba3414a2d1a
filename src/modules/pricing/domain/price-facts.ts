import type { Money } from '../../../kernel/money.js';
import type { Source } from '../../../kernel/schema/dap-common.js';
import type { AdjustmentRule, Jurisdiction } from '../../../kernel/schema/dap-pricing.js';
import type { GovernmentStatement } from './government-charges.js';

/** Everything that is known about the price of one published unit. Amounts are exact; times are milliseconds. */
export interface PriceFacts {
  readonly organizationId: string;
  readonly rooftopId: string;
  readonly vehicleId: string;
  /** The generally available offer (DAP-PR-001). */
  readonly advertised: Money;
  /** True only when all required charges are known and the offer contains every one. */
  readonly includesCharges: boolean;
  readonly charges: ChargeStatement;
  /** What the row says in its own words. */
  readonly statedAdjustments: readonly StatedAdjustment[];
  /** What the rooftop decided for all of its units. */
  readonly rules: readonly AdjustmentRule[];
  readonly government: GovernmentStatement;
  readonly availability: { readonly status: string; readonly validUntil: number };
  readonly observedAt: number;
  /** How long the observation counts as current for prices. */
  readonly pricingSlaSeconds: number;
  /** The event that set the price after its row was observed, and when it happened; absent where the row says the price. */
  readonly event?: { readonly source: Source; readonly at: number };
  /** The row, and the settings of its rooftop, as sources. */
  readonly row: Source;
  readonly settings: Source;
}

/** What every buyer pays beside the advertised price: nobody said, or a list (an empty one says that there is nothing). */
export type ChargeStatement =
  { readonly by: 'nobody' } | { readonly by: 'row' | 'rooftop'; readonly charges: readonly StatedCharge[] };

export interface StatedCharge {
  readonly name: string;
  readonly amount: Money;
  readonly payee: 'dealer' | 'dealer_vendor' | 'other';
  readonly includedInAdvertisedPrice: boolean;
}

/** An adjustment in the words of a feed: who qualifies and what it combines with is free text. */
export interface StatedAdjustment {
  readonly name: string;
  readonly direction: 'discount' | 'surcharge';
  readonly amount?: Money;
  readonly eligibility?: string;
  readonly stacking?: string;
}

/** What a request says about the buyer's situation. It selects what is shown; it decides nothing (DAP §4.5). */
export interface DisclosureContext {
  readonly jurisdiction?: Jurisdiction;
  /** `unknown` says as little as nothing. */
  readonly paymentMode?: PaymentMode;
}

export const PAYMENT_MODES = ['cash', 'finance', 'lease', 'unknown'] as const;
export type PaymentMode = (typeof PAYMENT_MODES)[number];
