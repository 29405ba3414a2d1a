import { join } from 'node:path';
import type { FileKind } from '../../kernel/ports/content-store.js';
import type { Settings } from '../config/settings.js';

/** Where files of each kind are kept: one folder for all processes of an installation. */
export const fileFolders = (settings: Settings): Readonly<Record<FileKind, string>> => ({
  feed_file: settings.FEED_FILES_DIR ?? join(settings.DATA_DIR, 'files'),
  audit_export: settings.AUDIT_EXPORTS_DIR ?? join(settings.DATA_DIR, 'exports'),
  privacy_file: settings.PRIVACY_FILES_DIR ?? join(settings.DATA_DIR, 'privacy-files'),
});
