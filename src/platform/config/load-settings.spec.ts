import { describe, expect, it } from 'vitest';
import { loadSettings, SettingsError } from './load-settings.js';

const problemsOf = (env: Record<string, string>): readonly string[] => {
  try {
    loadSettings(env);
    return [];
  } catch (error) {
    return (error as SettingsError).problems.map((p) => p.name);
  }
};

describe('settings', () => {
  it('need nothing in the local profile', () => {
    const settings = loadSettings({ FORECOURT_PROFILE: 'local' });
    expect(settings.HOST).toBe('127.0.0.1');
    expect(settings.PORT).toBe(8080);
  });

  it('report every problem at once', () => {
    expect(problemsOf({ PORT: 'eighty', LOG_LEVEL: 'loud', DATABASE_URL: 'mysql://x' }).toSorted()).toEqual([
      'DATABASE_URL',
      'LOG_LEVEL',
      'PORT',
    ]);
    expect(problemsOf({}).toSorted()).toEqual(['DATABASE_URL', 'FORECOURT_SECRET']);
  });

  it('never repeat a value, which may be a secret', () => {
    expect(() => loadSettings({ DATABASE_URL: 'mysql://user:hunter2@db' })).toThrow(SettingsError);
    try {
      loadSettings({ DATABASE_URL: 'mysql://user:hunter2@db', FORECOURT_SECRET: 'short-secret' });
    } catch (error) {
      expect((error as Error).message).not.toContain('hunter2');
      expect((error as Error).message).not.toContain('short-secret');
    }
  });

  it('refuse the demo outside the local profile and on a reachable address', () => {
    const production = { DATABASE_URL: 'postgres://db/x', FORECOURT_SECRET: 'x'.repeat(32) };
    expect(problemsOf({ ...production, NODE_ENV: 'production', FORECOURT_DEMO: 'on' })).toEqual(['FORECOURT_DEMO']);
    expect(problemsOf({ FORECOURT_PROFILE: 'local', FORECOURT_DEMO: 'on', HOST: '0.0.0.0' })).toEqual([
      'FORECOURT_DEMO',
    ]);
  });

  it('name a misspelt setting of ours', () => {
    expect(problemsOf({ FORECOURT_PROFILE: 'local', FORECOURT_DEMOO: 'on' })).toEqual(['FORECOURT_DEMOO']);
  });

  it('treat an empty variable as absent', () => {
    expect(loadSettings({ FORECOURT_PROFILE: 'local', PORT: '' }).PORT).toBe(8080);
  });
});
