import 'reflect-metadata';
import { describe, expect, it } from 'vitest';
import { RETENTION_CATEGORIES } from '../../../kernel/retention/retention-categories.js';
import { RetentionCategoriesController } from './retention-categories.controller.js';

describe('the list of categories', () => {
  const { categories } = new RetentionCategoriesController().list() as { categories: Record<string, unknown>[] };

  it('has all of them, and says of each where it is or that it is not stored', () => {
    expect(categories.map(({ category }) => category)).toEqual(Object.keys(RETENTION_CATEGORIES));
    expect(categories.filter(({ is_stored: isStored }) => isStored === false).map(({ category }) => category)).toEqual([
      'request_payload',
      'lead',
      'consent',
    ]);
    expect(categories.find(({ category }) => category === 'feed_file')).toMatchObject({
      clocks: ['created', 'last_used'],
      guarded_tables: ['feed_files', 'feed_runs'],
      files: ['feed_file'],
    });
    expect(categories.find(({ category }) => category === 'session')).toMatchObject({
      exempt_tables: [{ table: 'authorization_records', reason: expect.stringMatching(/ends by itself/) as string }],
    });
  });
});
