import { expect, test } from 'vitest';
import { terminalText } from '#server/terminal.ts';

test('a newcomer reads which library is served', () => {
  expect(terminalText.library([{ number: 1, name: 'demo', folder: '/d', kind: 'demo' }], 300)).toContain(
    'the demo clips. Set LIBRARY_DIRS',
  );
  expect(terminalText.library([{ number: 1, name: 'films', folder: '/films', kind: 'folder' }], 300)).toContain(
    '/films',
  );
  expect(terminalText.library([], 300)).toContain('empty');
});

test('whoever started the server reads with what, and where, the first account is made', () => {
  const said = terminalText.firstAccount('BCDF-GHJK', 'http://localhost:4400');
  expect(said).toContain('  BCDF-GHJK, ');
  expect(said).toContain('http://localhost:4400/?setup=BCDF-GHJK');
});

test('the outcome of a scan names the folders that are not there', () => {
  const said = terminalText.scan({
    found: 1,
    playable: 1,
    read: 1,
    vanished: 0,
    missingFolders: ['/gone', 's3://s3.example.org/films'],
    durationMs: 1_234,
  });
  expect(said).toContain('1.2 s: 1 video, 1 of them playable');
  expect(said).toContain('The folder /gone is not there');
  expect(said).toContain('The library at s3://s3.example.org/films is away');
});

test('a start that fails is explained in words', () => {
  expect(terminalText.startFailure(Object.assign(new Error('listen'), { code: 'EADDRINUSE' }))).toContain(
    'another port with PORT',
  );
  expect(
    terminalText.startFailure(Object.assign(new Error('file is not a database'), { code: 'SQLITE_NOTADB' })),
  ).toContain('its database cannot be used');
  expect(terminalText.startFailure('odd')).toContain('could not start');
});

test.each([
  ['SQLITE_FULL', 'is full'],
  ['ENOSPC', 'is full'],
  ['SQLITE_READONLY_DIRECTORY', 'can only be read'],
  ['EACCES', 'belongs to somebody else'],
  ['EEXIST', 'DATA_DIR is a file'],
  ['ENOTDIR', 'DATA_DIR is a file'],
  ['EADDRNOTAVAIL', 'HOST is no address of this machine'],
  ['ENOTFOUND', 'HOST is no address of this machine'],
  ['EAI_AGAIN', 'HOST is no address of this machine'],
  ['EAFNOSUPPORT', 'HOST is no address of this machine'],
])('a start that fails by %s says what to mend, and speaks of no backup', (code, words) => {
  const said = terminalText.startFailure(Object.assign(new Error('cannot write'), { code }));
  expect(said).toContain(words);
  expect(said).not.toContain('backup');
});

test('a database in which this user may make no tables is said to want another owner', () => {
  const refused = Object.assign(new Error('permission denied for schema public'), { code: '42501' });
  expect(terminalText.startFailure(refused)).toMatch(/lacks a right \(permission .*\): make it the owner/);
});

test('a port that this user may not have is told from a folder that it may not have', () => {
  expect(
    terminalText.startFailure(Object.assign(new Error('listen'), { code: 'EACCES', syscall: 'listen' })),
  ).toContain('above 1023 with PORT');
});

test.each([
  [
    { host: '0.0.0.0', sitePassword: undefined, isRegistrationOpen: true },
    'open to everybody who can reach it; whoever is in can make an account',
  ],
  [
    { host: '127.0.0.1', sitePassword: undefined, isRegistrationOpen: false },
    'open to everybody on this machine, and nobody else; nobody can make',
  ],
  [
    { host: '0.0.0.0', sitePassword: 's3cret', isRegistrationOpen: true },
    'closed: it asks everybody who can reach it for its password',
  ],
])('whoever started the server reads to whom it is open: %j', (env, words) => {
  expect(terminalText.access(env)).toContain(words);
  expect(terminalText.access(env)).not.toContain('s3cret');
});
