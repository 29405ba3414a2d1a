import { LIMITS } from '../../../../kernel/limits.js';
import type { BoundColumns } from './bind-columns.js';
import { bindColumns, wantedColumns } from './bind-columns.js';
import { DelimitedReader } from './codec/delimited-reader.js';
import type { RecordReader } from './codec/feed-record.js';
import { headerKey } from './codec/header-key.js';
import { JsonReader } from './codec/json-reader.js';
import { readMembers } from './codec/read-members.js';
import { XmlReader } from './codec/xml-reader.js';
import type { ChosenEncoding } from './decode-text.js';
import { chooseEncoding, decodeText } from './decode-text.js';
import type { FileHead } from './detect-profile.js';
import { detectProfile, fileKind, readHeader } from './detect-profile.js';
import type { FeedBytes } from './feed-bytes.js';
import { FeedProblem } from './feed-problem.js';
import type { FeedReading } from './feed-settings.js';
import { normaliseRow } from './normalise/normalise-row.js';
import type { RowContext } from './normalise/row-context.js';
import { rowContext } from './normalise/row-context.js';
import { RowView } from './normalise/row-view.js';
import type { CodecSpec, FeedProfile, PositionalDelimiter } from './profile/feed-profile.js';
import { profileNamed } from './profile/profiles.js';
import type { RowOutcome } from './row-outcome.js';

export interface FeedRows {
  /** Name of the profile that reads the file. */
  readonly profile: string;
  readonly encoding: string;
  /** One outcome a record, in file order. Throws FeedProblem where the document breaks. To be walked once. */
  readonly rows: AsyncIterable<RowOutcome>;
}

/** Characters in which a header must end and a format must show itself. */
const HEAD_CHARACTERS = 65_536;

/**
 * Reads a received file as rows. The file is opened several times and never held: memory is bounded by one record and one
 * piece of text, whatever the size.
 * @throws FeedProblem for what makes the whole file unreadable: before the first row where the start of the file tells it,
 *   while walking the rows where it does not.
 */
export async function readFeed(bytes: FeedBytes, reading: FeedReading): Promise<FeedRows> {
  const encoding = await chooseEncoding(bytes, reading.settings.encoding);
  const head = await readHead(bytes, encoding);
  const profile = reading.profile === 'auto' ? detectProfile(head) : profileNamed(reading.profile);
  const { reader, columns, stores } = openCodec(profile, reading, head);
  const known = stores === undefined ? undefined : await storeKeys(bytes, encoding, stores);
  const context = rowContext(reading, profile, known);
  checkBinding(profile, reading, columns);
  const rows = outcomes(decodeText(bytes, encoding), reader, new RowView(columns), context);
  return { profile: profile.name, encoding: encoding.encoding, rows };
}

async function* outcomes(
  texts: AsyncIterable<string>,
  reader: RecordReader,
  view: RowView,
  context: RowContext,
): AsyncGenerator<RowOutcome, void, undefined> {
  for await (const text of texts) {
    for (const record of reader.push(text)) yield normaliseRow(record, view, context);
  }
  for (const record of reader.end()) yield normaliseRow(record, view, context);
}

async function readHead(bytes: FeedBytes, encoding: ChosenEncoding): Promise<FileHead> {
  let text = '';
  for await (const piece of decodeText(bytes, encoding)) {
    text += piece;
    if (text.length >= HEAD_CHARACTERS && text.trim() !== '') return { text, whole: false };
  }
  if (text.trim() === '') throw new FeedProblem('empty_file');
  return { text, whole: true };
}

interface OpenCodec {
  readonly reader: RecordReader;
  readonly columns: BoundColumns;
  /** Member of the document that lists the stores. */
  readonly stores?: string;
}

/** @throws FeedProblem `format_unrecognised` when the profile is not sent in this kind of document. */
function openCodec(profile: FeedProfile, reading: FeedReading, head: FileHead): OpenCodec {
  const kind = fileKind(head);
  const codec = profile.codecs.find((c) => (c.kind === 'positional' ? 'delimited' : c.kind) === kind);
  if (codec === undefined) throw new FeedProblem('format_unrecognised');
  const recordLimit = LIMITS.feedRecordBytes.value;
  if (codec.kind === 'delimited' || codec.kind === 'positional') return openDelimited(codec, profile, reading, head);
  const names = wantedNames(profile, reading);
  const columns = bindColumns(profile, reading.settings, names);
  if (codec.kind === 'xml')
    return { reader: new XmlReader({ records: codec.records, columns: names, recordLimit }), columns };
  const depthLimit = LIMITS.jsonDepth.value;
  const reader = new JsonReader({ records: codec.records, columns: names, recordLimit, depthLimit });
  return codec.storesMember === undefined ? { reader, columns } : { reader, columns, stores: codec.storesMember };
}

function openDelimited(
  codec: Extract<CodecSpec, { kind: 'delimited' | 'positional' }>,
  profile: FeedProfile,
  reading: FeedReading,
  head: FileHead,
): OpenCodec {
  const recordLimit = LIMITS.feedRecordBytes.value;
  if (codec.kind === 'positional') {
    const { delimiter, quoting } = positionalDelimiter(codec.delimiters, codec.columns.length, head);
    const shape = { delimiter, quoting, columns: codec.columns.length, header: false, recordLimit };
    return { reader: new DelimitedReader(shape), columns: bindColumns(profile, reading.settings, codec.columns) };
  }
  const { delimiter, names } = readHeader(head);
  const shape = { delimiter, quoting: true, columns: names.length, header: true, recordLimit };
  return { reader: new DelimitedReader(shape), columns: bindColumns(profile, reading.settings, names) };
}

/** The separator that gives the first line the right number of positions; else the first of the layout. */
function positionalDelimiter(
  candidates: readonly PositionalDelimiter[],
  columns: number,
  head: FileHead,
): PositionalDelimiter {
  const line = head.text.split(/[\r\n]+/).find((text) => text.trim() !== '') ?? '';
  const fits = ({ delimiter, quoting }: PositionalDelimiter): boolean =>
    (quoting ? line.replace(/"[^"]*"/g, '') : line).split(delimiter).length === columns;
  return candidates.find(fits) ?? candidates[0] ?? { delimiter: ',', quoting: true };
}

/** Documents name their values one by one: the columns are exactly what is wanted, each once. */
function wantedNames(profile: FeedProfile, reading: FeedReading): readonly string[] {
  const names = new Map<string, string>();
  for (const columns of wantedColumns(profile, reading.settings).values()) {
    for (const column of columns) if (!names.has(headerKey(column))) names.set(headerKey(column), column);
  }
  return [...names.values()];
}

async function storeKeys(
  bytes: FeedBytes,
  encoding: ChosenEncoding,
  member: string,
): Promise<ReadonlySet<string> | undefined> {
  const bounds = { limit: LIMITS.feedRecordBytes.value, depthLimit: LIMITS.jsonDepth.value };
  const stores = (await readMembers(decodeText(bytes, encoding), [member], bounds)).get(member);
  return typeof stores === 'object' && stores !== null ? new Set(Object.keys(stores)) : undefined;
}

/** Rows that are told apart by a store key need a column that holds it. @throws FeedProblem `required_column_missing`. */
function checkBinding(profile: FeedProfile, reading: FeedReading, columns: BoundColumns): void {
  if (reading.rooftops.kind === 'single' || columns.places.has('dealerKey')) return;
  throw new FeedProblem('required_column_missing', { columns: profile.columns.dealerKey ?? ['dealerKey'] });
}
