import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { ROOT } from './repository-files.js';

describe('The direction rules', () => {
  it('hold for every import, type-only ones included', () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['node_modules/.bin/depcruise', 'src', '--config', '.dependency-cruiser.cjs', '--output-type', 'err'],
      {
        cwd: ROOT,
        encoding: 'utf8',
      },
    );
    expect(`${stdout}${stderr}`).toContain('no dependency violations found');
    expect(status).toBe(0);
  });
});
