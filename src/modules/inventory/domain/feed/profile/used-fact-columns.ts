import type { FeedProfile } from './feed-profile.js';

/** Facts of used units that DAP publishes and its CSV has no column for; ours, by the names of the published objects. */
export const USED_FACT_COLUMNS: FeedProfile['columns'] = {
  odometerStatus: ['odometer_status'],
  title: ['title_json'],
  conditionReport: ['condition_report_json'],
  certification: ['certification_json'],
  reconditioning: ['reconditioning_json'],
};
