/** Cars that demo and benchmark inventories are made of: real names, rounded prices, VIN prefixes of the makers. */
export interface CatalogueModel {
  readonly make: string;
  readonly model: string;
  readonly wmi: string;
  readonly type: 'car' | 'truck' | 'suv' | 'van';
  readonly body: string;
  readonly trims: readonly string[];
  /** Whole dollars of the plainest trim when new. */
  readonly price: number;
}

const model = (
  make: string,
  name: string,
  wmi: string,
  type: CatalogueModel['type'],
  body: string,
  price: number,
  trims: string,
): CatalogueModel => ({ make, model: name, wmi, type, body, price, trims: trims.split('|') });

export const CATALOGUE: readonly CatalogueModel[] = [
  model('Honda', 'Accord', '1HG', 'car', 'Sedan', 28_000, 'LX|EX|Sport Hybrid|Touring'),
  model('Honda', 'Civic', '2HG', 'car', 'Sedan', 24_000, 'LX|Sport|EX|Touring'),
  model('Honda', 'CR-V', '7FA', 'suv', 'Sport Utility', 30_000, 'LX|EX|EX-L|Sport Hybrid'),
  model('Honda', 'Odyssey', '5FN', 'van', 'Minivan', 39_000, 'EX|EX-L|Touring|Elite'),
  model('Toyota', 'Camry', '4T1', 'car', 'Sedan', 29_000, 'LE|SE|XLE|XSE'),
  model('Toyota', 'RAV4', '2T3', 'suv', 'Sport Utility', 30_000, 'LE|XLE|Adventure|Limited'),
  model('Toyota', 'Tacoma', '3TM', 'truck', 'Double Cab Pickup', 33_000, 'SR|SR5|TRD Sport|Limited'),
  model('Toyota', 'Sienna', '5TD', 'van', 'Minivan', 39_000, 'LE|XLE|XSE|Platinum'),
  model('Ford', 'F-150', '1FT', 'truck', 'SuperCrew Pickup', 39_000, 'XL|XLT|Lariat|Platinum'),
  model('Ford', 'Explorer', '1FM', 'suv', 'Sport Utility', 40_000, 'Active|ST-Line|Limited|Platinum'),
  model('Ford', 'Mustang', '1FA', 'car', 'Coupe', 32_000, 'EcoBoost|GT|GT Premium'),
  model('Ford', 'Transit', '1FB', 'van', 'Passenger Van', 51_000, 'XL|XLT'),
  model('Chevrolet', 'Silverado 1500', '1GC', 'truck', 'Crew Cab Pickup', 37_000, 'WT|LT|RST|High Country'),
  model('Chevrolet', 'Equinox', '2GN', 'suv', 'Sport Utility', 29_000, 'LS|LT|RS|Premier'),
  model('Chevrolet', 'Malibu', '1G1', 'car', 'Sedan', 26_000, 'LS|RS|LT'),
  model('GMC', 'Sierra 1500', '1GT', 'truck', 'Crew Cab Pickup', 39_000, 'Pro|SLE|AT4|Denali'),
  model('GMC', 'Acadia', '1GK', 'suv', 'Sport Utility', 43_000, 'Elevation|AT4|Denali'),
  model('Jeep', 'Grand Cherokee', '1C4', 'suv', 'Sport Utility', 38_000, 'Laredo|Limited|Overland|Summit'),
  model('Jeep', 'Wrangler', '1C4', 'suv', 'Sport Utility', 34_000, 'Sport|Willys|Sahara|Rubicon'),
  model('Ram', '1500', '1C6', 'truck', 'Crew Cab Pickup', 41_000, 'Tradesman|Big Horn|Laramie|Limited'),
  model('Nissan', 'Rogue', '5N1', 'suv', 'Sport Utility', 29_000, 'S|SV|SL|Platinum'),
  model('Nissan', 'Altima', '1N4', 'car', 'Sedan', 27_000, 'S|SV|SR|SL'),
  model('Hyundai', 'Tucson', '5NM', 'suv', 'Sport Utility', 29_000, 'SE|SEL|XRT|Limited'),
  model('Hyundai', 'Elantra', 'KMH', 'car', 'Sedan', 22_000, 'SE|SEL|Limited'),
  model('Kia', 'Telluride', '5XY', 'suv', 'Sport Utility', 37_000, 'LX|EX|SX'),
  model('Kia', 'Sportage', '5XX', 'suv', 'Sport Utility', 28_000, 'LX|EX|X-Pro'),
  model('Subaru', 'Outback', '4S4', 'suv', 'Wagon', 29_000, 'Premium|Limited|Touring XT|Wilderness'),
  model('Subaru', 'Forester', 'JF2', 'suv', 'Sport Utility', 30_000, 'Premium|Sport|Limited'),
  model('Mazda', 'CX-5', 'JM3', 'suv', 'Sport Utility', 29_000, 'Select|Preferred|Premium|Turbo'),
  model('Volkswagen', 'Jetta', '3VW', 'car', 'Sedan', 22_000, 'S|Sport|SE|SEL'),
  model('BMW', 'X3', '5UX', 'suv', 'Sport Utility', 47_000, 'sDrive30i|xDrive30i|M40i'),
  model('Mercedes-Benz', 'GLC 300', 'W1N', 'suv', 'Sport Utility', 48_000, 'GLC 300|GLC 300 4MATIC'),
  model('Audi', 'Q5', 'WA1', 'suv', 'Sport Utility', 46_000, 'Premium|Premium Plus|Prestige'),
  model('Lexus', 'RX 350', '2T2', 'suv', 'Sport Utility', 50_000, 'Base|Premium|F Sport'),
  model('Volvo', 'XC60', 'YV4', 'suv', 'Sport Utility', 47_000, 'Core|Plus|Ultimate'),
  model('Tesla', 'Model Y', '7SA', 'suv', 'Sport Utility', 47_000, 'Long Range|Performance'),
];

export const COLOURS = [
  'White',
  'Black',
  'Silver',
  'Gray',
  'Blue',
  'Red',
  'Green',
  'Pearl White',
  'Graphite',
  'Midnight Blue',
] as const;
export const INTERIORS = ['Black', 'Gray', 'Beige', 'Brown', 'Red'] as const;
export const FEATURES = [
  'Apple CarPlay',
  'Android Auto',
  'Backup Camera',
  'Heated Front Seats',
  'Blind Spot Monitor',
  'Adaptive Cruise Control',
  'Remote Start',
  'Panoramic Roof',
  'Navigation',
  'Third Row Seat',
  'Leather Seats',
  'Tow Package',
  'Keyless Entry',
  'Power Liftgate',
  'Lane Keep Assist',
] as const;
