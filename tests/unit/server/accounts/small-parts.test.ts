import { describe, expect, test } from 'vitest';
import { areOfOneNetwork } from '#server/features/auth/device-sign-in.ts';
import { avatarAddressOf } from '#server/features/auth/providers/oauth-providers.ts';
import { deviceName } from '#server/features/auth/visitor.ts';
import { clientAddress, isLoopback } from '#server/http/client-address.ts';
import { plainPath } from '#server/http/pipeline/request-parsing.ts';
import { openText, sealText } from '#server/http/signing.ts';

describe('the plain path', () => {
  test.each([
    ['/api/tags', '/api/tags'],
    ['/API//Tags/', '/api/tags'],
    ['/x/../api/./tags', '/api/tags'],
    ['/../../api/tags?x=/y', '/api/tags'],
    ['/%61pi/tags', '/api/tags'],
    ['/%2561pi%2ftags', '/api/tags'],
    ['/%252525252561pi%25252ftags', '/api/tags'],
    ['/%%36%31pi/tags', '/api/tags'],
    [`/%${'25'.repeat(5_000)}61pi/tags`, '/api/tags'],
    ['/%2561pi/%E0', '/api/%e0'],
    ['/%C2%A0api/t%C3%A4gs', '/api/tägs'],
    [`/${'.'.repeat(20)}/api${'.'.repeat(20)}/tags`, '/api/tags'],
    ['\\api\\tags', '/api/tags'],
    ['/api./tags..', '/api/tags'],
    ['/ api/tags', '/api/tags'],
    ['http://site.example/api/tags', '/api/tags'],
    ['/assets/api/a.js', '/assets/api/a.js'],
    ['/%E0%A4%A', '/%e0%a4%a'],
    ['*', '/*'],
    ['', '/'],
  ])('of %j is %j', (url, path) => {
    expect(plainPath(url)).toBe(path);
  });
});

describe('an address that attempts are counted by', () => {
  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1:2:3:4', 'fe80:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['192.0.2.7:51234', '192.0.2.7'],
    [' 192.0.2.7 ', '192.0.2.7'],
    ['[2001:db8:1:2::1]:443', '2001:db8:1:2::/64'],
    ['[2001:DB8:0001:2::1]', '2001:db8:1:2::/64'],
    ['::ffff:c000:0207', '192.0.2.7'],
    ['[::FFFF:192.0.2.7]:80', '192.0.2.7'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
    ['unknown', 'unknown'],
    ['_hidden', 'unknown'],
    ['192.0.2.7.example', 'unknown'],
    ['', 'unknown'],
  ])('is for %s %s', (ip, address) => {
    expect(clientAddress({ ip })).toBe(address);
  });

  test('is this machine’s own for loopback alone', () => {
    for (const own of ['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1']) expect(isLoopback(own)).toBe(true);
    for (const other of ['10.0.0.1', '0.0.0.0', '::', '127.0.0.1.example', '192.168.0.127', ''])
      expect(isLoopback(other)).toBe(false);
  });
});

describe('a device', () => {
  const safari = 'AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/604.1';
  const chrome = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

  test.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox on Linux'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Edg/142.0.0.0`, 'Edge on Windows'],
    [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${chrome}`, 'Chrome on macOS'],
    [`Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) ${safari}`, 'Safari on iPhone'],
    [`Mozilla/5.0 (Linux; Android 16; Pixel 10) ${chrome}`, 'Chrome on Android'],
    [
      'Mozilla/5.0 (SMART-TV; LINUX; Tizen 6.0) AppleWebKit/537.36 (KHTML, like Gecko) 76.0.3809.146/6.0 TV Safari/537.36',
      'Safari on a Samsung TV',
    ],
    [`Mozilla/5.0 (Web0S; Linux/SmartTV) ${chrome}`, 'Chrome on an LG TV'],
    ['curl/8.14.1', 'Unknown device'],
    ['<img src=x onerror=alert(1)>', 'Unknown device'],
    [undefined, 'Unknown device'],
  ])('that says %j is called %j', (agent, name) => {
    expect(deviceName(agent)).toBe(name);
  });
});

test.each([
  ['https://cdn.example/a.png', true],
  ['http://cdn.example/a.png', false],
  ['https://cdn.example.evil.example/a.png', false],
  ['https://evil.example/a.png?cdn.example', false],
  ['https://169.254.169.254/latest', false],
  ['file:///etc/passwd', false],
  ['a.png', false],
  [42, false],
])('the picture at %j is fetched: %j', (address, isFetched) => {
  expect(avatarAddressOf(address, ['cdn.example']) !== null).toBe(isFetched);
});

test('a sealed text opens with its key alone, and unchanged alone', () => {
  const key = Buffer.alloc(32, 1);
  const sealed = sealText(key, 'naïve ✓');
  expect(openText(key, sealed)).toBe('naïve ✓');
  expect(sealText(key, 'naïve ✓')).not.toBe(sealed);
  expect(() => openText(Buffer.alloc(32, 2), sealed)).toThrow();
  const changed = Buffer.from(sealed, 'base64');
  changed.writeUInt8(changed.readUInt8(changed.length - 1) ^ 1, changed.length - 1);
  expect(() => openText(key, changed.toString('base64'))).toThrow();
});

test.each([
  ['192.168.1.20', '192.168.1.30', true],
  ['10.0.0.5', 'fd00::7', true],
  ['192.168.1.20', '203.0.113.7', false],
  ['203.0.113.7', '203.0.113.7', true],
  ['203.0.113.7', '203.0.113.8', false],
  ['2001:db8:0:1::7', '2001:db8:0:1::8', true],
  ['2001:db8:0:1::7', '2001:db8:0:2::7', false],
  ['203.0.113.7', '2001:db8::7', null],
  ['127.0.0.1', '127.0.0.1', null],
  ['192.168.1.20', '::1', null],
  ['', '203.0.113.7', null],
])('%j and %j are of one network: %j', (one, other, answer) => {
  expect([areOfOneNetwork(one, other), areOfOneNetwork(other, one)]).toEqual([answer, answer]);
});
