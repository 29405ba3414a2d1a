import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalTarget } from './request-target.js';

const ask = (url: string) => {
  const headers: { host?: string } = { host: 'given.test' };
  return [canonicalTarget({ url, headers }), headers.host];
};

describe('What a request asks for', () => {
  it.each([
    ['/admin/v1/feeds', '/admin/v1/feeds'],
    ['/%61dmin/v1/%66eeds?%61ccess_token=x', '/admin/v1/feeds?%61ccess_token=x'],
    ['/%2D%2e%5f%7E%30%39%41%5A%61%7a', '/-._~09AZaz'],
    ['/a%2Fb%3Fc%23d%25%3A%40%5B%60%7B%7F', '/a%2Fb%3Fc%23d%25%3A%40%5B%60%7B%7F'],
    ['/%2561dmin', '/%2561dmin'], // escaped once is not escaped twice
    ['/%%36%31dmin', '/%%36%31dmin'], // what unescaping would make an escape is left as it is
    ['/%61dmin/%zz', '/%61dmin/%zz'],
    ['/é%61', '/éa'],
    ['*', '*'],
  ])('%s is %s', (url, target) => {
    expect(ask(url)).toEqual([target, 'given.test']);
  });

  it.each([
    ['http://other.test/%61dmin/v1', '/admin/v1'],
    ['HTTPS://other.test?a=b', '/?a=b'],
    ['http://other.test', '/'],
  ])('%s is %s at that host', (url, target) => {
    expect(ask(url)).toEqual([target, 'other.test']);
  });

  it('has one spelling, which means the same', () => {
    const escaped = fc.integer({ min: 0x20, max: 0x7e }).map((code) => `%${code.toString(16).padStart(2, '0')}`);
    const piece = fc.oneof(escaped, fc.constantFrom('/', 'a', 'Z', '7', '-', '~', '%25', '%C3%A9'));
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const [target = ''] = ask(`/${pieces.join('')}`);
        expect(decodeURIComponent(target)).toBe(decodeURIComponent(`/${pieces.join('')}`));
        expect(ask(target)[0]).toBe(target);
        expect(target).not.toMatch(/%(?:4[1-9]|5[0-9]|6[1-9]|7[0-9]|3\d)/);
      }),
    );
  });
});
