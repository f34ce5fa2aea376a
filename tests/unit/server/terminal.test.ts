import { expect, test } from 'vitest';
import { sayFirstAccount, sayLibrary, sayScan, sayStartFailure } from '#server/terminal.ts';

test('a newcomer reads which library is served', () => {
  expect(sayLibrary([{ number: 1, name: 'demo', folder: '/d', kind: 'demo' }], 300)).toContain('the demo clips. Set LIBRARY_DIRS');
  expect(sayLibrary([{ number: 1, name: 'films', folder: '/films', kind: 'folder' }], 300)).toContain('/films');
  expect(sayLibrary([], 300)).toContain('empty');
});

test('whoever started the server reads with what the first account is made elsewhere', () => {
  expect(sayFirstAccount('BCDF-GHJK')).toContain('the set-up code BCDF-GHJK');
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
