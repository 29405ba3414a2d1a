import { describe, expect, it } from 'vitest';
import { formatApiKey, generateApiKey, hashSecret, parseApiKey, secretMatches } from './api-key.js';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

describe('an API key', () => {
  it('has a fixed form', () => {
    const key = { keyId: 'abcdefghij', secret: 'a'.repeat(32) };
    expect(formatApiKey(key)).toBe(`fck_abcdefghij_${'a'.repeat(32)}fdrknc`);
    expect(parseApiKey(`fck_abcdefghij_${'a'.repeat(32)}fdrknc`)).toEqual(key);
  });

  it('is read back as it was generated', () => {
    for (let i = 0; i < 200; i++) {
      const key = generateApiKey();
      expect(parseApiKey(formatApiKey(key))).toEqual(key);
    }
  });

  it('is refused with any one letter changed, left out or added', () => {
    const token = formatApiKey(generateApiKey());
    for (let i = 0; i < token.length; i++) {
      for (const letter of ALPHABET) {
        if (letter === token[i]) continue;
        expect(parseApiKey(token.slice(0, i) + letter + token.slice(i + 1))).toBeUndefined();
      }
      expect(parseApiKey(token.slice(0, i) + token.slice(i + 1))).toBeUndefined();
      expect(parseApiKey(`${token.slice(0, i)}a${token.slice(i)}`)).toBeUndefined();
    }
    for (const around of [` ${token}`, `${token} `, `${token}\n`, token.toUpperCase()])
      expect(parseApiKey(around)).toBeUndefined();
  });

  it('draws every letter of its secret', () => {
    const letters = new Set(Array.from({ length: 100 }, () => generateApiKey().secret).join(''));
    expect(letters).toEqual(new Set(ALPHABET));
  });

  it('matches its hash under the current and the previous pepper, and under no other', () => {
    const [current, previous, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2), Buffer.alloc(32, 3)];
    const hash = hashSecret(previous, 'secret');
    expect(secretMatches([current, previous], 'secret', hash)).toBe(true);
    expect(secretMatches([current, previous], 'secres', hash)).toBe(false);
    expect(secretMatches([current, other], 'secret', hash)).toBe(false);
    expect(secretMatches([previous], 'secret', hash.subarray(0, 31))).toBe(false);
  });
});
