import { vinOf } from './feed-csv.js';

/** One row of the protocol's own CSV, by column. */
export type ProtocolRow = Readonly<Record<string, string>>;

/** A sound used car. What is not said is not known. */
export function protocolRow(number: number, rooftopId: string, more: ProtocolRow = {}): ProtocolRow {
  return {
    organization_id: 'org.harbor-auto-group',
    rooftop_id: rooftopId,
    vin: vinOf(number),
    stock_number: `S${number}`,
    year: '2023',
    make: 'Honda',
    model: 'Accord',
    condition: 'used',
    listing_url: `https://cars.example/${number}`,
    observed_at: new Date(Date.now() - 60_000).toISOString(),
    advertised_price_minor: String(2_000_000 + number * 100),
    currency: 'USD',
    availability_status: 'available',
    odometer_value: String(10_000 + number),
    odometer_unit: 'mi',
    ...more,
  };
}

/** A file of the given rows; columns are all that any row has. */
export function protocolCsv(rows: readonly ProtocolRow[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))];
  return `${lines.map((cells) => cells.map(quoted).join(',')).join('\r\n')}\r\n`;
}

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
