import type { FeedRecord, RecordReader } from './feed-record.js';
import type { JsonPath } from './json-path.js';
import { cellAtPath, jsonPath } from './json-path.js';
import type { JsonSlice } from './json-scanner.js';
import { JsonScanner } from './json-scanner.js';

export interface JsonShape {
  /** Member that holds the records; '' when the document is the list. */
  readonly records: readonly string[];
  /** Paths inside a record, in the order of the cells. */
  readonly columns: readonly string[];
  /** Longest record, in characters, and its deepest nesting. */
  readonly recordLimit: number;
  readonly depthLimit: number;
}

/** Records of a JSON document: each element of its list is cut out and parsed by itself. */
export class JsonReader implements RecordReader {
  private readonly scanner: JsonScanner;
  private readonly paths: readonly JsonPath[];
  private count = 0;

  constructor(shape: JsonShape) {
    const { recordLimit: limit, depthLimit } = shape;
    this.scanner = new JsonScanner({ lists: new Set(shape.records), members: new Set(), limit, depthLimit });
    this.paths = shape.columns.map(jsonPath);
  }

  push(text: string): readonly FeedRecord[] {
    return this.scanner.push(text).map((slice) => this.record(slice));
  }

  end(): readonly FeedRecord[] {
    this.scanner.end();
    return [];
  }

  private record(slice: JsonSlice): FeedRecord {
    const at = { line: slice.line, record: ++this.count };
    if (slice.text === undefined) return { at, spoilt: 'record_too_large' };
    const value = parsed(slice.text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return { at, spoilt: 'record_malformed' };
    const cells = this.paths.map((path) => cellAtPath(value, path));
    return { at, cells, size: slice.size, identity: slice.text };
  }
}

/** @returns undefined for text that is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
