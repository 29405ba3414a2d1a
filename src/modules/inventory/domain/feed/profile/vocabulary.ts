import type { AvailabilityStatus, Condition, Drivetrain, FuelType, VehicleType } from '../../vehicle-schema.js';
import type { ConditionMeaning, Vocabulary } from './feed-profile.js';

const as = (condition: Condition, titleBrand?: 'rebuilt' | 'salvage'): ConditionMeaning =>
  titleBrand === undefined ? { condition } : { condition, titleBrand };

/** Condition words of vendor exports, also in Spanish and French. Wear (Excellent, Good …) is not among them. */
export const CONDITION_WORDS: Vocabulary<ConditionMeaning> = {
  n: as('new'),
  new: as('new'),
  nuevo: as('new'),
  neuf: as('new'),
  u: as('used'),
  used: as('used'),
  preowned: as('used'),
  usado: as('used'),
  seminuevo: as('used'),
  usage: as('used'),
  usagé: as('used'),
  occasion: as('used'),
  c: as('certified'),
  cpo: as('certified'),
  certified: as('certified'),
  certifiedused: as('certified'),
  certifiedpreowned: as('certified'),
  demo: as('demo'),
  demonstrator: as('demo'),
  rebuilt: as('used', 'rebuilt'),
  salvage: as('used', 'salvage'),
};

/** The three words of the normative CSV, and nothing else. */
export const NORMATIVE_CONDITIONS: Vocabulary<ConditionMeaning> = {
  new: as('new'),
  used: as('used'),
  certified: as('certified'),
};

export const STATUS_WORDS: Vocabulary<AvailabilityStatus> = {
  available: 'available',
  active: 'available',
  live: 'available',
  instock: 'available',
  ininventory: 'available',
  intransit: 'in_transit',
  onorder: 'in_transit',
  reserved: 'on_hold',
  hold: 'on_hold',
  onhold: 'on_hold',
  pending: 'pending_sale',
  pendingsale: 'pending_sale',
  salepending: 'pending_sale',
  sold: 'sold',
  unavailable: 'unavailable',
  notavailable: 'unavailable',
  outofstock: 'unavailable',
  inactive: 'unavailable',
  unknown: 'unknown',
};

/** DAP CSV §4.7 words; `reserved` is our on_hold. */
export const NORMATIVE_STATUSES: Vocabulary<AvailabilityStatus> = {
  available: 'available',
  unavailable: 'unavailable',
  intransit: 'in_transit',
  reserved: 'on_hold',
  unknown: 'unknown',
};

/** Only retail is meant for the public; every other disposition is withheld. */
export const RETAIL_DISPOSITIONS: ReadonlySet<string> = new Set(['', 'r', 'retail']);

export const YES_WORDS: ReadonlySet<string> = new Set(['1', 'y', 'yes', 'true', 't', 'certified', 'cpo', 'oui', 'si']);

/** Bodies and types. A mixed word ("Cars & Trucks & Vans") is no type and is not here. */
export const VEHICLE_TYPE_WORDS: Vocabulary<VehicleType> = {
  car: 'car',
  cars: 'car',
  sedan: 'car',
  coupe: 'car',
  convertible: 'car',
  hatchback: 'car',
  wagon: 'car',
  truck: 'truck',
  trucks: 'truck',
  pickup: 'truck',
  pickuptruck: 'truck',
  crewcabpickup: 'truck',
  doublecabpickup: 'truck',
  extendedcabpickup: 'truck',
  regularcabpickup: 'truck',
  supercrewpickup: 'truck',
  supercabpickup: 'truck',
  suv: 'suv',
  suvs: 'suv',
  crossover: 'suv',
  sportutility: 'suv',
  sportutilityvehicle: 'suv',
  van: 'van',
  vans: 'van',
  minivan: 'van',
  cargovan: 'van',
  passengervan: 'van',
  motorcycle: 'motorcycle',
  motorcycles: 'motorcycle',
  motorcyclesscooters: 'motorcycle',
  rv: 'rv',
  rvs: 'rv',
  motorhome: 'rv',
  trailer: 'trailer',
  trailers: 'trailer',
  other: 'other',
};

export const FUEL_WORDS: Vocabulary<FuelType> = {
  gas: 'gasoline',
  gasoline: 'gasoline',
  gasolinefuel: 'gasoline',
  petrol: 'gasoline',
  essence: 'gasoline',
  unleaded: 'gasoline',
  flex: 'gasoline',
  flexfuel: 'gasoline',
  diesel: 'diesel',
  dieselfuel: 'diesel',
  hybrid: 'hybrid',
  hybridfuel: 'hybrid',
  gaselectrichybrid: 'hybrid',
  gaselectric: 'hybrid',
  hybride: 'hybrid',
  pluginhybrid: 'plug_in_hybrid',
  phev: 'plug_in_hybrid',
  electric: 'battery_electric',
  electricfuelsystem: 'battery_electric',
  bev: 'battery_electric',
  ev: 'battery_electric',
  electrique: 'battery_electric',
  électrique: 'battery_electric',
  hydrogen: 'hydrogen',
  fuelcell: 'hydrogen',
  other: 'other',
};

/** `2WD` and `4x2` do not say which axle is driven. */
export const DRIVETRAIN_WORDS: Vocabulary<Drivetrain> = {
  fwd: 'fwd',
  frontwheeldrive: 'fwd',
  rwd: 'rwd',
  rearwheeldrive: 'rwd',
  awd: 'awd',
  allwheeldrive: 'awd',
  '4wd': 'four_wd',
  '4x4': 'four_wd',
  fourwheeldrive: 'four_wd',
  '4wheeldrive': 'four_wd',
  '2wd': 'other',
  '4x2': 'other',
};

export const CERTIFICATION_WORDS = {
  manufacturercpo: 'manufacturer_cpo',
  manufacturer: 'manufacturer_cpo',
  cpo: 'manufacturer_cpo',
  dealercertified: 'dealer_certified',
  dealer: 'dealer_certified',
  thirdpartycertified: 'third_party_certified',
  notcertified: 'not_certified',
  unknown: 'unknown',
} as const;
