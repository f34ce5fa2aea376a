import { expect, test } from 'vitest';
import { sayAddresses, sayLibrary, sayScan, sayStartFailure } from '#server/terminal.ts';

const network = (address: string, internal = false) => ({ address, internal, family: 'IPv4' as const, netmask: '', mac: '', cidr: null });
const interfaces = { lo: [network('127.0.0.1', true)], eth0: [network('192.168.1.5')] };

test('a newcomer reads the address for this machine and the one for a phone or a TV', () => {
  const said = sayAddresses('0.0.0.0', 4400, interfaces);
  expect(said).toContain('On this machine      http://localhost:4400');
  expect(said).toContain('On a phone or a TV   http://192.168.1.5:4400');
  expect(said).not.toContain('127.0.0.1');
});

test('a server that keeps to one interface names only that', () => {
  expect(sayAddresses('127.0.0.1', 4400, interfaces)).not.toContain('192.168');
  expect(sayAddresses('::1', 4400, interfaces)).toContain('http://[::1]:4400');
});

test('a newcomer reads which library is served', () => {
  expect(sayLibrary([{ number: 1, name: 'demo', folder: '/d', kind: 'demo' }], 300)).toContain('the demo clips. Set LIBRARY_DIRS');
  expect(sayLibrary([{ number: 1, name: 'films', folder: '/films', kind: 'folder' }], 300)).toContain('/films');
  expect(sayLibrary([], 300)).toContain('empty');
});

test('the outcome of a scan names the folders that are not there', () => {
  const said = sayScan({ found: 1, playable: 1, read: 1, vanished: 0, missingFolders: ['/gone'], durationMs: 1_234 });
  expect(said).toContain('1.2 s: 1 video, 1 of them playable');
  expect(said).toContain('/gone');
});

test('a start that fails is explained in words', () => {
  expect(sayStartFailure(Object.assign(new Error('listen'), { code: 'EADDRINUSE' }))).toContain('another port with PORT');
  expect(sayStartFailure(Object.assign(new Error('file is not a database'), { code: 'SQLITE_NOTADB' }))).toContain('its database cannot be used');
  expect(sayStartFailure('odd')).toContain('could not start');
});
