import { rfc3339 } from '../../../kernel/time.js';
import type { RooftopRecord } from '../app/rooftop-profile-store.js';
import type { RooftopEntry, SettingsVersion, SettingsVersionEntry } from '../app/rooftop-settings-store.js';

export function rooftopView(rooftop: RooftopEntry): object {
  return {
    rooftop_id: rooftop.rooftopId,
    name: rooftop.name,
    time_zone: rooftop.timezone,
    currency: rooftop.currency,
    settings_version: rooftop.settingsVersion,
    updated_at: rfc3339(rooftop.updatedAt),
  };
}

/** A rooftop with everything that it says of itself. */
export function rooftopRecordView(rooftop: RooftopRecord): object {
  return {
    rooftop_id: rooftop.rooftopId,
    name: rooftop.name,
    legal_name: rooftop.legalName,
    website: rooftop.website,
    address: rooftop.address,
    time_zone: rooftop.timezone,
    currency: rooftop.currency,
    departments: rooftop.departments,
    contacts: rooftop.contacts,
    hours: rooftop.hours,
    languages: rooftop.languages,
    version: rooftop.version,
    settings_version: rooftop.settingsVersion,
    updated_at: rfc3339(rooftop.updatedAt),
  };
}

export function versionEntryView(entry: SettingsVersionEntry): object {
  return {
    rooftop_id: entry.rooftopId,
    version: entry.version,
    author: entry.author,
    reason: entry.reason,
    created_at: rfc3339(entry.createdAt),
  };
}

export function versionView(version: SettingsVersion): object {
  return { ...versionEntryView(version), settings: version.settings };
}
