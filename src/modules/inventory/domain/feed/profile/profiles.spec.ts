import { describe, expect, it } from 'vitest';
import { readQuarantined, readUnits } from '../../../../../../test/fixtures/feeds/read-rows.js';
import { readingWith } from '../../../../../../test/fixtures/feeds/reading.js';
import type { ListedUnit } from '../../listed-unit.js';
import type { FeedReading } from '../feed-settings.js';
import { SOURCE_FIELDS } from './feed-profile.js';
import { PROFILES } from './profiles.js';

const VIN = '1HGCM82633A004352';
const car = { vin: VIN, stockNumber: 'S1', year: 2020, make: 'Honda', model: 'Accord' };
const usd = (dollars: number) => ({ amount_minor: dollars * 100, currency: 'USD' });
const by = (key: string): Partial<FeedReading> => ({ rooftops: { kind: 'by_key', keys: { [key]: 'roof.south' } } });

interface Case {
  readonly format: string;
  readonly text: string;
  readonly reading?: FeedReading;
  readonly unit: Partial<ListedUnit>;
}

const cases: readonly Case[] = [
  {
    format: 'website-export',
    text: `VIN,Stock #,NewUsed,Year,Make,Model,Mileage,MileageUnit,MSRP,InternetPrice,Status,VDPUrl,LastUpdated,InStockDate,CarfaxUrl,CPOType,PhotoURLs,Features,Comments
${VIN},S1,CPO,2020,Honda,Accord,"12,000",km,"$30,000","$19,995",reserved,https://d.example/1,2026-11-30T05:00:00-05:00,07/04/2026,https://history.example/1,dealer,https://i.example/1.jpg|//i.example/2.jpg,"A, B, A","<p>Nice &amp; <b>""clean""</b></p>"`,
    reading: readingWith({ receivedAt: Date.parse('2026-11-30T12:00:00Z') }),
    unit: {
      ...car,
      condition: 'certified',
      certificationType: 'dealer_certified',
      odometer: { value: 12000, unit: 'km' },
      advertisedPrice: usd(19995),
      listPrice: usd(30000),
      availability: 'on_hold',
      observedAt: Date.parse('2026-11-30T10:00:00Z'),
      stockedAt: '2026-07-04T00:00:00-04:00',
      stockedAtPrecision: 'day',
      imageUrls: ['https://i.example/1.jpg', 'https://i.example/2.jpg'],
      features: ['A', 'B'],
      description: 'Nice & "clean"',
      historyReports: [
        {
          providerId: 'com.carfax',
          providerName: 'CARFAX',
          status: 'available',
          access: 'public_link',
          reportUrl: 'https://history.example/1',
          summarySharingAuthorized: false,
        },
      ],
    },
  },
  {
    format: 'vauto',
    text: `DealerId,VIN,Stock #,New/Used,Year,Make,Model,Series,Odometer,Colour,MSRP,Price,Photo Url List,Disposition\r\nSOUTH,${VIN},S1,U,2020,Honda,Accord,EX,12000,Red,30000,"$19,995.00",https://i.example/1.jpg;https://i.example/2.jpg,R\r\n`,
    reading: readingWith(by('SOUTH')),
    unit: {
      ...car,
      rooftopId: 'roof.south',
      trim: 'EX',
      exteriorColor: 'Red',
      condition: 'used',
      availability: 'available',
      advertisedPrice: usd(19995),
      imageUrls: ['https://i.example/1.jpg', 'https://i.example/2.jpg'],
    },
  },
  {
    format: 'homenet-iol',
    text: `"Type","Stock","VIN","Year","Make","Model","Miles","SellingPrice","Invoice","Internet_Price","Certified","ImageList"\n"Used","S1","${VIN}","2020","Honda","Accord","12,345","20995","15000","0","True","https://i.example/0x0/1,2.jpg,https://i.example/2.jpg"\n`,
    unit: {
      ...car,
      condition: 'certified',
      odometer: { value: 12345, unit: 'mi' },
      advertisedPrice: usd(20995),
      imageUrls: ['https://i.example/0x0/1,2.jpg', 'https://i.example/2.jpg'],
    },
  },
  {
    format: 'frazer',
    text: `Stock,VIN,Year,Make,Model,Style,Mileage,Color,Color 2,Retail Price,Internet Price,Vehicle Condition,PhotoURLs\r\nS1,${VIN},2020,HONDA,ACCORD,EX,TMU,Red,Black,   21000.00,   19995.00,Salvage,\r\n`,
    unit: {
      ...car,
      condition: 'used',
      titleBrands: ['salvage'],
      interiorColor: 'Black',
      advertisedPrice: usd(19995),
      listPrice: usd(21000),
    },
  },
  {
    format: 'autotrader-ca',
    text: `101|9|S1|${VIN}|Pending|2020|Honda|Accord|EX|85 000|Gris "foncé"|||||||24 995 $|A,B|Propre|https://i.example/1.jpg||https://i.example/2.jpg,,${'|'.repeat(14)}\n`,
    reading: readingWith(
      { profile: 'autotrader-ca', ...by('9') },
      { currency: 'CAD', odometerUnit: 'km', conditionMap: { '101': 'used' } },
    ),
    unit: {
      ...car,
      exteriorColor: 'Gris "foncé"',
      odometer: { value: 85000, unit: 'km' },
      advertisedPrice: { amount_minor: 2499500, currency: 'CAD' },
      availability: 'pending_sale',
      imageUrls: ['https://i.example/1.jpg', 'https://i.example/2.jpg'],
    },
  },
  {
    format: 'dealercenter',
    text: `DealerID,StockNumber,VIN,Year,Make,Model,Odometer,Price,Exterior Color,PhotoURLs,WebAdDescription\n9,S1,${VIN},2020,Honda,Accord,12000,19995,Red,https://i.example/1.jpg|https://i.example/2.jpg,one | two\n`,
    unit: { ...car, condition: 'used', advertisedPrice: usd(19995), description: 'one | two', dealerKey: '9' },
  },
  {
    format: 'autofunds',
    text: `DealerID,StockNumber,VIN,Year,Make,Model,Trim,Condition,InternetSpecial,Mileage,PhotoUrls\n"9","S1","${VIN}","2020","Honda","Accord","EX","Used","","12000","https://i.example/1.jpg?sig=a%2Fb&exp=1"\n`,
    unit: { ...car, condition: 'used', imageUrls: ['https://i.example/1.jpg?sig=a%2Fb&exp=1'] },
  },
  {
    format: 'meta-vehicles',
    text: `vehicle_id\tvin\tyear\tmake\tmodel\tmileage.value\tmileage.unit\tcondition\tstate_of_vehicle\tprice\tsale_price\timage[0].url\timage[1].url\tavailability\tdate_first_on_lot\nS1\t${VIN}\t2020\tHonda\tAccord\t44696\tKM\tEXCELLENT\tCPO\t23595 USD\t22845 USD\thttps://i.example/1.jpg\thttps://i.example/2.jpg\tin stock\t2026-03-02\n`,
    unit: {
      ...car,
      condition: 'certified',
      odometer: { value: 44696, unit: 'km' },
      advertisedPrice: usd(22845),
      listPrice: usd(23595),
      availability: 'available',
      imageUrls: ['https://i.example/1.jpg', 'https://i.example/2.jpg'],
      stockedAt: '2026-03-02T00:00:00-05:00',
    },
  },
  {
    format: 'google-vehicle-listings',
    text: `store_code,id,VIN,year,make,model,mileage,condition,certified_pre_owned,price,vehicle_msrp,dealership_name,link,image_link,additional_image_link,legal_disclaimer\nEX,S1,${VIN},2020,Honda,Accord,"84,500 km",u,0,"19,995.00 USD",,Example,https://d.example/1?a=b&c=d,https://i.example/1.jpg,"https://i.example/2.jpg, https://i.example/3.jpg",A $499 fee\n`,
    reading: readingWith(by('EX')),
    unit: {
      ...car,
      condition: 'used',
      odometer: { value: 84500, unit: 'km' },
      advertisedPrice: usd(19995),
      listingUrl: 'https://d.example/1?a=b&c=d',
      imageUrls: ['https://i.example/1.jpg', 'https://i.example/2.jpg', 'https://i.example/3.jpg'],
    },
  },
  {
    format: 'google-merchant-vehicles',
    text: `id,VIN,store_code,brand,model,year,condition,mileage,price,vehicle_all_in_price,image_link\nS1,${VIN},EX,Honda,Accord,2020,used,"12,000 miles",19995 USD,20500 USD,https://i.example/1.jpg\n`,
    unit: { ...car, condition: 'used', odometer: { value: 12000, unit: 'mi' }, advertisedPrice: usd(19995) },
  },
  {
    format: 'autoxloo',
    text: `<?xml version="1.0"?>\n<listings>\n<listing><stock>S1</stock><title>Used</title><vin>${VIN}</vin><year>2020</year><make>Honda</make><model>Accord</model><type>MOTORCYCLE</type><price_current>21000</price_current><price_cost>100</price_cost><InternetPrice>0</InternetPrice><MSRP>0</MSRP><mileage>12000</mileage><description><![CDATA[<b>A</b> & B]]></description><pics>https://i.example/1.jpg?a=1&amp;b=2;https://i.example/2.jpg</pics><condition>New</condition></listing></listings>`,
    unit: {
      ...car,
      condition: 'used',
      vehicleType: 'motorcycle',
      advertisedPrice: usd(21000),
      description: 'A & B',
      imageUrls: ['https://i.example/1.jpg?a=1&b=2', 'https://i.example/2.jpg'],
    },
  },
  {
    format: 'autoxloo',
    text: `stock,title,vin,year,make,model,free_text,mileage,price_current,price_wholesale,InternetPrice,pics,condition,options\nS1,Certified Pre-Owned,${VIN},2020,Honda,Accord,,12000,21000,1,20500,https://i.example/1.jpg;https://i.example/2.jpg,Good,"A,B"\n`,
    unit: { ...car, condition: 'certified', advertisedPrice: usd(20500), features: ['A', 'B'] },
  },
  {
    format: 'dealercom-json',
    text: JSON.stringify({
      inventory: [
        {
          vin: VIN,
          stockNumber: 'S1',
          accountId: 'south',
          year: 2020,
          make: 'Honda',
          model: 'Accord',
          type: 'used',
          condition: 'Certified by Example',
          certified: true,
          status: 'live',
          link: '/used/1.htm',
          images: [{ uri: '//i.example/1.jpg' }],
          attributes: [{ name: 'odometer', value: '9 miles' }],
          trackingAttributes: [{ name: 'odometer', value: '9' }],
          trackingPricing: { askingPrice: '$37,999', salePrice: '34999', msrp: '0' },
          pricing: {
            dprice: [
              { label: 'Advertised', typeClass: 'askingPrice', value: '$37,999' },
              { label: 'Military', typeClass: 'rule', value: '$1,000' },
              { label: 'Loyalty', typeClass: 'rule', value: '$2,000' },
              { label: 'Final', typeClass: 'final', value: '$34,999', isFinalPrice: true },
            ],
          },
          packages: ['A, with a comma', '20" Wheels'],
        },
      ],
      accounts: { south: { name: 'South' } },
    }),
    reading: readingWith(by('south'), { baseUrl: 'https://www.{accountId}.example' }),
    unit: {
      ...car,
      condition: 'certified',
      odometer: { value: 9, unit: 'mi' },
      advertisedPrice: usd(37999),
      conditionalAdjustments: [
        { name: 'Military', direction: 'discount', amount: usd(1000) },
        { name: 'Loyalty', direction: 'discount', amount: usd(2000) },
      ],
      listingUrl: 'https://www.south.example/used/1.htm',
      imageUrls: ['https://i.example/1.jpg'],
      features: ['A, with a comma', '20" Wheels'],
    },
  },
  {
    format: 'dealeron-json',
    text: JSON.stringify([
      {
        VehicleVin: VIN,
        VehicleYear: 2020,
        VehicleMake: 'Honda',
        VehicleModel: 'Accord',
        VehicleCondition: 'Seminuevo',
        VehicleCpo: false,
        VehicleMileage: 12000,
      },
    ]),
    unit: { ...car, stockNumber: VIN, condition: 'used', odometer: { value: 12000, unit: 'mi' } },
  },
  {
    format: 'cars-positional',
    text: `"9","S1","2020","Honda","Accord","EX","${VIN}","12000","19995","Red","Black","Automatic","Y","Nice, clean","Sedan","","FWD","Gas","A,B","https://i.example/1.jpg,https://i.example/2.jpg","",""\n`,
    reading: readingWith({ profile: 'cars-positional' }, { conditionMap: { '': 'used' } }),
    unit: {
      ...car,
      condition: 'used',
      advertisedPrice: usd(19995),
      drivetrain: 'fwd',
      fuelType: 'gasoline',
      description: 'Nice, clean',
    },
  },
  {
    format: 'cars-positional',
    text: `9|S1|2020|Honda|Accord|EX|${VIN}|12000|19995|Red|Black|Automatic|Y|Nice|Sedan||FWD|Gas|A,B|https://i.example/1.jpg||\n`,
    reading: readingWith({ profile: 'cars-positional' }, { conditionMap: { '': 'used' } }),
    unit: { ...car, condition: 'used', imageUrls: ['https://i.example/1.jpg'] },
  },
  {
    format: 'oodle',
    text: `id\tvin\tyear\tmake\tmodel\tcondition\tbody_type\tprice\tcurrency\tcreate_time\turl\nS1\t${VIN}\t2020\tHonda\tAccord\tcertified pre-owned\tSedan\t19995\tUSD\t2026-09-01\thttps://d.example/1\n`,
    unit: {
      ...car,
      condition: 'certified',
      vehicleType: 'car',
      advertisedPrice: usd(19995),
      firstListedAt: '2026-09-01T00:00:00-04:00',
    },
  },
];

describe('the formats', () => {
  it.each(cases)('$format is read', async ({ text, reading, unit }) => {
    const rows = await readUnits(text, reading);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.unit).toMatchObject(unit);
  });

  it('all have a reading test', () => {
    const tested = new Set(cases.map(({ format }) => format));
    expect(PROFILES.map(({ name }) => name).filter((name) => !tested.has(name))).toEqual([
      'dealer-agent-inventory-csv/0.1',
    ]);
  });

  it('have no way in for cost, invoice, wholesale and book values', () => {
    const columns = PROFILES.flatMap((profile) => Object.values(profile.columns).flat());
    expect(columns.filter((column) => /cost|invoice|wholesale|book|holdback/i.test(column))).toEqual([]);
    expect(SOURCE_FIELDS.filter((field) => /cost|invoice|wholesale|book/i.test(field))).toEqual([]);
    const prices = PROFILES.flatMap((profile) => profile.columns.price ?? []);
    expect(prices.filter((column) => /msrp|sticker/i.test(column))).toEqual([]);
  });
});

describe('traits of single formats', () => {
  const meta = (change: Record<string, string>): string => {
    const cells = {
      vehicle_id: 'S1',
      vin: VIN,
      year: '2020',
      make: 'Honda',
      model: 'Accord',
      'mileage.value': '5',
      'mileage.unit': 'MI',
      state_of_vehicle: 'USED',
      price: '20000 USD',
      sale_price: '',
      availability: 'AVAILABLE',
      ...change,
    };
    return `${Object.keys(cells).join('\t')}\n${Object.values(cells).join('\t')}\n`;
  };

  it('a Meta sale price above the price is a conflict, and its unit is never guessed', async () => {
    expect(await readQuarantined(meta({ sale_price: '20001 USD' }))).toMatchObject([{ reason: 'price_conflict' }]);
    expect(await readQuarantined(meta({ 'mileage.unit': '' }))).toMatchObject([{ reason: 'odometer_unit_missing' }]);
    expect(await readUnits(meta({ availability: 'NOT_AVAILABLE' }))).toMatchObject([{ withheld: 'unavailable' }]);
  });

  const vauto = (change: Record<string, string>): string => {
    const cells = {
      VIN,
      'Stock #': 'S1',
      'New/Used': 'U',
      Year: '2020',
      Make: 'Honda',
      Model: 'Accord',
      Series: '',
      MSRP: '',
      Price: '19995',
      'Photo Url List': '',
      Certified: 'No',
      'Inventory Date': '',
      Disposition: 'R',
      Odometer: '5',
      ...change,
    };
    return `${Object.keys(cells).join(',')}\n${Object.values(cells).join(',')}\n`;
  };

  it.each([
    [{ Disposition: 'W' }, 'not_retail'],
    [{ Disposition: 'Fleet' }, 'not_retail'],
    [{ Disposition: 'Z' }, 'not_retail'],
    [{ Price: '', MSRP: '30000' }, 'price_unknown'],
  ])('vAuto %j is withheld as %s', async (change, withheld) => {
    const [row] = await readUnits(vauto(change));
    expect(row?.withheld).toBe(withheld);
  });

  it.each([
    [{ 'Inventory Date': '13/45/2026' }, 'stocked_date_invalid'],
    [{ MSRP: '999999' }, 'list_price_placeholder'],
    [{ 'New/Used': 'N', Certified: 'Yes' }, 'certified_on_new_ignored'],
    [
      { 'Photo Url List': 'javascript:alert(1)|https://i.example/1.jpg|not a url|https://i.example/1.jpg' },
      'image_urls_dropped:2',
    ],
    [{ Odometer: 'TMU' }, 'odometer_unknown'],
  ])('vAuto %j is flagged %s', async (change, flag) => {
    const [row] = await readUnits(vauto(change));
    expect(row?.flags.map((f) => f.flag)).toEqual([flag]);
  });

  it('an empty or certified-only condition of vAuto stays unknown', async () => {
    expect(await readQuarantined(vauto({ 'New/Used': '', Certified: 'Yes' }))).toMatchObject([
      { reason: 'condition_unknown' },
    ]);
  });

  const store = (record: Record<string, unknown>): string =>
    JSON.stringify({
      accounts: { south: {} },
      inventory: [
        {
          vin: VIN,
          stockNumber: 'S1',
          accountId: 'south',
          year: 2020,
          make: 'Honda',
          model: 'Accord',
          type: 'used',
          status: 'live',
          trackingPricing: { askingPrice: '19995' },
          ...record,
        },
      ],
    });

  it.each([
    [{ accountId: 'constructor' }, 'rooftop_unknown'],
    [{ accountId: 'other' }, 'rooftop_unknown'],
    [{ type: '', condition: '' }, 'condition_unknown'],
    [{ make: null }, 'required_missing'],
    [
      { attributes: [{ name: 'odometer', value: '9 miles' }], trackingAttributes: [{ name: 'odometer', value: '10' }] },
      'odometer_conflict',
    ],
  ])('Dealer.com %j is quarantined as %s', async (record, reason) => {
    expect(
      await readQuarantined(store(record), readingWith({ rooftops: { kind: 'single', rooftopId: 'roof.a' } })),
    ).toMatchObject([{ reason }]);
  });

  it('a Dealer.com offer that the lines do not explain becomes one adjustment of the whole difference', async () => {
    const [row] = await readUnits(store({ trackingPricing: { askingPrice: '$20,000', salePrice: '19000' } }));
    expect(row?.unit.conditionalAdjustments).toEqual([{ name: 'Offers', direction: 'discount', amount: usd(1000) }]);
    expect(row?.unit.advertisedPrice).toEqual(usd(20000));
  });

  it('a key of a row cannot change the host of a link', async () => {
    const text = store({ accountId: 'evil.example/x?', link: '/a' }).replace('"south"', '"evil.example/x?"');
    const [row] = await readUnits(text, readingWith({}, { baseUrl: 'https://www.{accountId}.example' }));
    expect(row?.unit.listingUrl).toBeUndefined();
    expect(row?.flags).toEqual([{ flag: 'listing_url_invalid', column: 'link' }]);
  });
});
