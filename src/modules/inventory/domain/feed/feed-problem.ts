/** Why a whole file cannot be read as the feed it is said to be. The last good snapshot keeps serving. */
export const FILE_PROBLEMS = [
  'empty_file',
  'encoding_unsupported',
  'format_unrecognised',
  'profile_unknown',
  'required_column_missing',
  'duplicate_column',
  'document_malformed',
] as const;
export type FileProblem = (typeof FILE_PROBLEMS)[number];

/** Thrown while reading a file. `columns` names missing or repeated columns; `line` where the document breaks. */
export class FeedProblem extends Error {
  override readonly name = 'FeedProblem';

  constructor(
    readonly problem: FileProblem,
    readonly where: { readonly columns?: readonly string[]; readonly line?: number } = {},
  ) {
    super(problem);
  }
}
