import { loadSettings, readEnvironment } from '../platform/config/load-settings.js';
import type { Settings } from '../platform/config/settings.js';

/** Settings of a command: the service's own, quiet. It runs on the developer's machine unless it is told otherwise. */
export const commandSettings = (): Settings =>
  loadSettings({ FORECOURT_PROFILE: 'local', LOG_LEVEL: 'error', ...readEnvironment() });
