import { FeedProblem } from '../feed-problem.js';
import { AUTOFUNDS } from './autofunds.js';
import { AUTOTRADER_CA } from './autotrader-ca.js';
import { AUTOXLOO } from './autoxloo.js';
import { CARS_POSITIONAL } from './cars-positional.js';
import { DEALER_AGENT_INVENTORY_CSV } from './dealer-agent-inventory-csv.js';
import { DEALERCENTER } from './dealercenter.js';
import { DEALERCOM_JSON } from './dealercom-json.js';
import { DEALERON_JSON } from './dealeron-json.js';
import type { FeedProfile } from './feed-profile.js';
import { FRAZER } from './frazer.js';
import { GOOGLE_MERCHANT_VEHICLES, GOOGLE_VEHICLE_LISTINGS } from './google-vehicles.js';
import { HOMENET_IOL } from './homenet-iol.js';
import { META_VEHICLES } from './meta-vehicles.js';
import { OODLE } from './oodle.js';
import { VAUTO } from './vauto.js';
import { WEBSITE_EXPORT } from './website-export.js';

/** Every format that can be read. */
export const PROFILES: readonly FeedProfile[] = [
  DEALER_AGENT_INVENTORY_CSV,
  WEBSITE_EXPORT,
  VAUTO,
  HOMENET_IOL,
  FRAZER,
  AUTOTRADER_CA,
  DEALERCENTER,
  AUTOFUNDS,
  META_VEHICLES,
  GOOGLE_VEHICLE_LISTINGS,
  GOOGLE_MERCHANT_VEHICLES,
  AUTOXLOO,
  DEALERCOM_JSON,
  DEALERON_JSON,
  CARS_POSITIONAL,
  OODLE,
];

/** The profile of a name. @throws FeedProblem `profile_unknown`. */
export function profileNamed(name: string): FeedProfile {
  const profile = PROFILES.find((p) => p.name === name);
  if (profile === undefined) throw new FeedProblem('profile_unknown');
  return profile;
}
