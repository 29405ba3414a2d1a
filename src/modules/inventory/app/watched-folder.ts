/** A file that has come to rest in a watched folder and was taken out of it for this process alone. */
export interface TakenFile {
  readonly name: string;
  chunks(): AsyncIterable<Uint8Array>;
  /** Puts it aside as done. */
  processed(): Promise<void>;
  /** Puts it back where it was, to be taken again. */
  putBack(): Promise<void>;
  /** Puts it aside with a file beside it that says why. */
  failed(reason: string): Promise<void>;
}

/** Port: folders into which others put feed files, one folder a feed. */
export interface WatchedFolders {
  /**
   * Takes the files that did not change since the call before, at least two seconds ago. Files of other organizations and
   * anything outside the root are out of reach; links are put aside as failed.
   */
  takeSettled(organizationId: string, folder: string): Promise<readonly TakenFile[]>;
}
