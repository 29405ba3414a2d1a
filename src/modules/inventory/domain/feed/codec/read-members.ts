import { FeedProblem } from '../feed-problem.js';
import { parsed } from './json-reader.js';
import { JsonScanner } from './json-scanner.js';

/**
 * Members that stand beside the records of a JSON document (a table of stores), wherever they stand. A pass of its own,
 * because they may follow the records that need them.
 * @throws FeedProblem `document_malformed` when a wanted member is no JSON or longer than allowed.
 */
export async function readMembers(
  texts: AsyncIterable<string>,
  wanted: readonly string[],
  bounds: { readonly limit: number; readonly depthLimit: number },
): Promise<ReadonlyMap<string, unknown>> {
  const scanner = new JsonScanner({ lists: new Set(), members: new Set(wanted), ...bounds });
  const members = new Map<string, unknown>();
  for await (const text of texts) {
    for (const { member, line, text: slice } of scanner.push(text)) {
      const value = slice === undefined ? undefined : parsed(slice);
      if (value === undefined) throw new FeedProblem('document_malformed', { line });
      members.set(member, value);
    }
  }
  scanner.end();
  return members;
}
