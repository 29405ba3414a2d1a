import { describe, expect, it } from 'vitest';
import { readUrl, resolveUrl } from './read-url.js';

describe('reading URLs', () => {
  it.each([
    ['https://img.example/1.jpg?w=800&h=600&sig=a%2Fb', 'https://img.example/1.jpg?w=800&h=600&sig=a%2Fb'],
    ['http://img.example/1.jpg', 'http://img.example/1.jpg'],
    ['//img.example/1.jpg', 'https://img.example/1.jpg'],
    ['https://img.example/é.jpg', 'https://img.example/%C3%A9.jpg'],
    ['HTTPS://img.example/w_800,h_600/1.jpg', 'HTTPS://img.example/w_800,h_600/1.jpg'],
    ['https://img2.local.example:443/10.0.0.1', 'https://img2.local.example:443/10.0.0.1'],
  ])('%s is kept as %s', (raw, url) => {
    expect(readUrl(raw)).toBe(url);
  });

  it.each([
    'javascript:alert(1)',
    'ftp://img.example/1.jpg',
    'data:image/png;base64,AAAA',
    'not a url',
    '/relative.jpg',
    'https://user:secret@img.example/1.jpg',
    'https://img.example/a b.jpg',
    'https://img.example/"onerror=',
    'https:///1.jpg',
    'https://169.254.169.254/latest',
    'https://127.0.0.1:8443/1.jpg',
    'https://2130706433/1.jpg',
    'https://0x7f.1/1.jpg',
    'https://[::1]/1.jpg',
    '//localhost/1.jpg',
    'https://dms/1.jpg',
    'https://vault.internal/1.jpg',
    'https://printer.local?x',
    `https://img.example/${'x'.repeat(3000)}`,
    '',
  ])('%s is refused', (raw) => {
    expect(readUrl(raw)).toBeUndefined();
  });

  it('resolves relative links against the configured base only', () => {
    expect(resolveUrl('/new/1.htm', 'https://www.store.example')).toBe('https://www.store.example/new/1.htm');
    expect(resolveUrl('/new/1.htm', undefined)).toBeUndefined();
    expect(resolveUrl('javascript:alert(1)', 'https://www.store.example')).toBeUndefined();
    expect(resolveUrl('https://other.example/x', 'https://www.store.example')).toBe('https://other.example/x');
  });
});
