import { expect, test } from 'vitest';
import { findListenAddresses, originForOthers } from '#server/http/local-names.ts';
import { terminalText } from '#server/terminal.ts';
import { hostWith } from '#tests/support/secure-host.ts';

const { interfaces } = hostWith('192.168.1.20', 'fd00::20');
const local = ['nas', 'nas.local', '192.168.1.20', 'fd00::20', 'localhost', '127.0.0.1', '::1'];

test.each([
  [
    'everywhere, without TLS',
    { host: '0.0.0.0', port: 4400, names: null },
    { own: ['http://localhost:4400'], others: ['http://192.168.1.20:4400'], phone: 'http://192.168.1.20:4400' },
  ],
  [
    'on this machine alone',
    { host: '127.0.0.1', port: 4400, names: null },
    { own: ['http://127.0.0.1:4400'], others: [], phone: null },
  ],
  [
    'on this machine alone, by IPv6',
    { host: '::1', port: 4400, names: null },
    { own: ['http://[::1]:4400'], others: [], phone: null },
  ],
  [
    'on port 80',
    { host: '0.0.0.0', port: 80, names: null },
    { own: ['http://localhost'], others: ['http://192.168.1.20'], phone: 'http://192.168.1.20' },
  ],
  [
    'with a local authority',
    { host: '::', port: 4400, names: local },
    {
      own: ['https://localhost:4400'],
      others: ['https://nas:4400', 'https://nas.local:4400', 'https://192.168.1.20:4400', 'https://[fd00::20]:4400'],
      phone: 'https://192.168.1.20:4400',
    },
  ],
  [
    "with the operator's certificate",
    { host: '0.0.0.0', port: 443, names: ['four.example', '*.four.example'] },
    { own: [], others: ['https://four.example'], phone: 'https://four.example' },
  ],
])('the addresses of a server that listens %s', (_where, listening, reach) => {
  expect(findListenAddresses({ interfaces, ...listening })).toEqual(reach);
});

test.each([
  ['http://localhost:4400', { host: '0.0.0.0', names: null }, 'http://192.168.1.20:4400'],
  ['http://127.0.0.1:4400', { host: '::', names: null }, 'http://192.168.1.20:4400'],
  ['https://[::1]:4400', { host: '0.0.0.0', names: ['nas.local', 'fd00::20', 'localhost'] }, 'https://nas.local:4400'],
  ['https://localhost', { host: '0.0.0.0', names: ['fd00::20', 'localhost'] }, 'https://[fd00::20]'],
  ['http://localhost:4400', { host: '192.168.1.20', names: null }, 'http://192.168.1.20:4400'],
  ['http://127.0.0.1:4400', { host: '127.0.0.1', names: null }, null],
  ['http://127.0.1.1:4400', { host: '127.0.1.1', names: null }, null],
  ['http://nas.local:4400', { host: '0.0.0.0', names: null }, 'http://nas.local:4400'],
])('somebody who came by %s is shown an address that other devices can open', (origin, listening, expected) => {
  expect(originForOthers(origin, { interfaces, ...listening })).toBe(expected);
});

test('without a network nothing is said to phones', () => {
  const { own, others, phone } = findListenAddresses({
    host: '0.0.0.0',
    port: 4400,
    interfaces: {},
    names: ['localhost', '127.0.0.1'],
  });
  expect([own, others, phone]).toEqual([['https://localhost:4400'], [], null]);
  expect(findListenAddresses({ host: '127.0.1.1', port: 4400, interfaces, names: null })).toEqual({
    own: ['http://127.0.1.1:4400'],
    others: [],
    phone: null,
  });
  expect(terminalText.authority('http://localhost:4480', 'AA:BB')).not.toContain('Other devices');
});

test('the terminal says where the server is', () => {
  const reach = findListenAddresses({ host: '0.0.0.0', port: 4400, interfaces, names: null });
  expect(terminalText.addresses(reach)).toBe(
    '\n  Fourfold is running.\n\n  On this machine      http://localhost:4400\n  On a phone or a TV   http://192.168.1.20:4400',
  );
});

test('the terminal shows a fingerprint in two lines, to be compared', () => {
  const fingerprint = Array.from({ length: 32 }, (_, index) => index.toString(16).padStart(2, '0').toUpperCase()).join(
    ':',
  );
  const said = terminalText.authority('http://192.168.1.20:4480', fingerprint);
  expect(said).toContain('http://192.168.1.20:4480');
  expect(said.replaceAll(/\s/g, '')).toContain('0E:0F10:11');
});

test('the terminal draws a QR code that is dark and light whatever its own colours are', () => {
  const lines = terminalText.qrCode('http://192.168.1.20:4480').split('\n');
  expect(lines.at(-1)).toBe('  http://192.168.1.20:4480');
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.slice(1, -1).every((line) => line.startsWith('  \u001b[97;40m') && line.endsWith('\u001b[0m'))).toBe(
    true,
  );
});
