import type { AvailabilityBand } from '../../../kernel/availability-band.js';
import type { DisclosureCompleteness } from './disclosure-schema.js';

type Components = DisclosureCompleteness['components'];
type YesOrNo = Exclude<keyof Components, 'availability_band'>;

interface FormulaPart<Name, Points> {
  readonly component: Name;
  /** What makes it count. */
  readonly rule: string;
  readonly points: Points;
}

/**
 * How `disclosure_completeness` is scored. The protocol asks for a score and gives no formula, so ours is published as it
 * stands here: on the policy page and in the protocol notes. Its weights give the two scores that the published reference
 * shows, 85 and 60 (decision record 0020).
 */
export const COMPLETENESS_FORMULA: {
  readonly version: string;
  readonly summary: string;
  readonly parts: readonly FormulaPart<YesOrNo, number>[];
  readonly band: FormulaPart<'availability_band', Readonly<Record<AvailabilityBand, number>>>;
} = {
  version: '1',
  summary:
    'The score is the sum of the points of every component that holds and of the availability band, 0 to 100. It says how much is disclosed and how firmly, not how good the price is.',
  parts: [
    {
      component: 'advertised_price_present_and_authoritative',
      rule: 'The advertised price comes from an authoritative source and is current. The price of a feed is asserted, so it does not count.',
      points: 15,
    },
    {
      component: 'required_dealer_charges_itemized',
      rule: 'The dealer has stated what every buyer pays, item by item, or that there is nothing. Not stated does not count.',
      points: 30,
    },
    {
      component: 'conditional_adjustments_have_eligibility_and_stacking',
      rule: 'Each adjustment that is shown says who qualifies and what it combines with. No adjustment to show counts.',
      points: 15,
    },
    {
      component: 'government_charges_classified',
      rule: 'The source has classified government charges, if only as unknown, and the class has the proof that it needs.',
      points: 15,
    },
  ],
  band: {
    component: 'availability_band',
    rule: 'How firmly the availability of the unit may be stated at the moment of reading.',
    points: { verified_current: 25, recent_authoritative: 10, asserted: 5, stale: 0, unknown: 0 },
  },
};

/** Scores what is known by {@link COMPLETENESS_FORMULA}. */
export function completenessOf(components: Components): DisclosureCompleteness {
  const { parts, band } = COMPLETENESS_FORMULA;
  const points = parts.filter((part) => components[part.component]).reduce((sum, part) => sum + part.points, 0);
  return { score: points + band.points[components.availability_band], components };
}
