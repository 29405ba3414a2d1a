import { describe, expect, it } from 'vitest';
import { codeMatches, generateCode, hashCode, readCode } from './one-time-code.js';

const [PEPPER, OLDER] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

describe('A one-time code', () => {
  it('is read however it is typed, and nothing else is', () => {
    const code = generateCode();
    const plain = code.replaceAll('-', '');
    for (const typed of [code, plain, code.toUpperCase(), ` ${plain.replace(/(.{3})/g, '$1 ')}`])
      expect(readCode(typed)).toBe(plain);
    for (const typed of ['', plain.slice(1), `${plain}a`, `${plain.slice(1)}1`, 'x'.repeat(10_000), '\u0000'])
      expect(readCode(typed)).toBeUndefined();
  });

  it('matches its own hash for its own person, under the current secret and the one before', () => {
    const code = readCode(generateCode()) ?? '';
    const stored = hashCode(OLDER, 'staff.a', code);
    expect(codeMatches([PEPPER, OLDER], 'staff.a', code, stored)).toBe(true);
    expect(codeMatches([PEPPER], 'staff.a', code, stored)).toBe(false);
    expect(codeMatches([PEPPER, OLDER], 'staff.b', code, stored)).toBe(false);
    expect(codeMatches([PEPPER, OLDER], 'staff.a', readCode(generateCode()) ?? '', stored)).toBe(false);
    expect(codeMatches([PEPPER, OLDER], 'staff.a', code, Buffer.alloc(0))).toBe(false);
  });
});
