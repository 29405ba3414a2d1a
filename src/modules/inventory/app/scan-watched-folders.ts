import { Failure } from '../../../kernel/failure/failure.js';
import type { Feed } from './feed.js';
import type { ReceiveFeedFile } from './receive-feed-file.js';
import { systemOrigin } from './system-origin.js';
import type { TakenFile, WatchedFolders } from './watched-folder.js';

/** Takes in what has settled in the folders of watched feeds. */
export class ScanWatchedFolders {
  constructor(
    private readonly folders: WatchedFolders,
    private readonly receiving: ReceiveFeedFile,
  ) {}

  /** @returns how many files were taken in. */
  async run(feeds: readonly Feed[]): Promise<number> {
    let taken = 0;
    for (const feed of feeds) {
      if (feed.source.kind !== 'watch') continue;
      for (const file of await this.folders.takeSettled(feed.organizationId, feed.source.folder)) {
        if (await this.take(feed, file)) taken++;
      }
    }
    return taken;
  }

  /** A file that can never be taken in is put aside; when the database is away it is put back and tried again. */
  private async take({ organizationId, feedId }: Feed, file: TakenFile): Promise<boolean> {
    try {
      await this.receiving.run(
        { organizationId, feedId, name: file.name, origin: 'watch', chunks: file.chunks() },
        systemOrigin('feed-watch'),
      );
      await file.processed();
      return true;
    } catch (error) {
      const failure = Failure.from(error);
      if (failure.code === 'upstream.unavailable' || failure.code === 'limit.busy') {
        await file.putBack();
        throw error;
      }
      await file.failed(failure.code === 'internal.unexpected' ? 'the file could not be read' : failure.message);
      return false;
    }
  }
}
