import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { check } from '#tests/support/backup/commands.ts';
import { archiveName, filledPlace, placeWith, smallPlace } from '#tests/support/backup/site.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

interface Run {
  env?: Record<string, string>;
  folder?: string;
  /** KiB that a file may have: a limit whose signal is ignored answers as a full disk does. */
  fileLimit?: number;
}

function run(command: 'backup' | 'restore', args: readonly string[], { env = {}, folder, fileLimit }: Run = {}) {
  const file = fileURLToPath(new URL(`../../../src/server/backup/${command}-command.ts`, import.meta.url));
  // A shell counts in blocks of 512 bytes.
  const limit = fileLimit === undefined ? '' : `trap '' XFSZ; ulimit -f ${fileLimit * 2}; `;
  const ended = spawnSync('/bin/sh', ['-c', `${limit}exec "$0" "$@"`, process.execPath, file, ...args], {
    cwd: folder ?? temporaryFolder(),
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
    encoding: 'utf8',
  });
  return { code: ended.status, said: `${ended.stdout}${ended.stderr}` };
}

test('a backup and a restore say in sentences what they did, what is left out and what devices will see', async () => {
  const [from, to, file] = [await filledPlace(), placeWith(undefined), archiveName()];
  const made = run('backup', [file], { env: { DATA_DIR: from.dataFolder, LIBRARY_DIRS: '/films' } });
  expect(made.said).toContain(`The backup is ${file}`);
  expect(made.said).toMatch(/videos: \d+ rows/);
  expect(made.said).toMatch(/Not in it: \.env, posters .*\/films/);
  expect(made.said).toMatch(/holds the site's keys/);
  expect(made.said).not.toContain('secret of the site');
  const again = run('backup', [file], { env: { DATA_DIR: from.dataFolder } });
  expect([again.code, again.said]).toEqual([
    1,
    expect.stringMatching(/is there already.*: npm run backup -- --force \//),
  ]);
  expect(run('backup', ['--force', file], { env: { DATA_DIR: from.dataFolder } }).code).toBe(0);
  const restored = run('restore', [file], { env: { DATA_DIR: to.dataFolder } });
  expect([made.code, restored.code]).toEqual([0, 0]);
  expect(restored.said).toMatch(/is restored into .*1 session of that time lives on/s);
  const refused = run('restore', [file], { env: { DATA_DIR: to.dataFolder } });
  expect([refused.code, refused.said]).toEqual([
    1,
    expect.stringMatching(/Nothing was restored: DATA_DIR is not empty/),
  ]);
});

test('a backup without a name goes to BACKUP_DIR, else to where the command runs', async () => {
  const [{ dataFolder }, backups, folder] = [await smallPlace(), temporaryFolder(), temporaryFolder()];
  expect(run('backup', [], { env: { DATA_DIR: dataFolder, BACKUP_DIR: backups } }).code).toBe(0);
  expect(run('backup', [], { env: { DATA_DIR: dataFolder }, folder }).code).toBe(0);
  for (const place of [backups, folder]) {
    expect(readdirSync(place)).toEqual([expect.stringMatching(/^fourfold-2.*Z\.tar\.gz$/)]);
    await check(join(place, readdirSync(place)[0] ?? ''));
  }
});

test('what a command does not understand ends with how it is used, and settings that are wrong with what is wrong', async () => {
  expect(run('restore', [])).toEqual({ code: 64, said: expect.stringContaining('npm run restore <file>') });
  expect(run('backup', ['--fast'])).toEqual({ code: 64, said: expect.stringContaining('npm run backup') });
  expect(run('backup', [], { env: { PORT: 'x' } })).toEqual({ code: 78, said: expect.stringContaining('PORT') });
});

test('a database that does not answer is said to, without its password', () => {
  const env = { DATABASE_URL: 'postgres://me:s3cret@127.0.0.1:1/site', DATA_DIR: temporaryFolder() };
  const ended = run('backup', [archiveName()], { env });
  expect([ended.code, ended.said]).toEqual([1, expect.stringMatching(/The database of DATABASE_URL does not answer/)]);
  expect(ended.said).not.toContain('s3cret');
});

test('--force replaces a backup, and no other file', async () => {
  const [{ dataFolder }, file] = [await smallPlace(), archiveName()];
  writeFileSync(file, 'letters');
  const refused = run('backup', ['--force', file], { env: { DATA_DIR: dataFolder } });
  expect([refused.code, refused.said]).toEqual([1, expect.stringContaining('is no backup, and is not replaced')]);
  const database = run('backup', ['--force', join(dataFolder, 'fourfold.sqlite')], { env: { DATA_DIR: dataFolder } });
  expect([database.code, database.said]).toEqual([1, expect.stringContaining('opened by SQLite alone')]);
});

test('a full disk leaves no archive, and a restore onto one leaves the place as it was; both say so', async () => {
  const [from, file] = [await filledPlace(), archiveName()];
  // What cannot be made smaller.
  writeFileSync(join(from.dataFolder, 'eula.md'), randomBytes(300_000));
  const full = run('backup', [file], { env: { DATA_DIR: from.dataFolder }, fileLimit: 128 });
  expect([full.code, full.said]).toEqual([
    1,
    expect.stringMatching(/No backup was made: There is no room on the disk of/),
  ]);
  expect(readdirSync(dirname(file))).toEqual([]);
  expect(run('backup', [file], { env: { DATA_DIR: from.dataFolder } }).code).toBe(0);
  const { dataFolder } = placeWith(undefined);
  const restored = run('restore', [file], { env: { DATA_DIR: dataFolder }, fileLimit: 400 });
  expect([restored.code, restored.said]).toEqual([1, expect.stringMatching(/Nothing was restored: .*disk of/)]);
  expect(readdirSync(dataFolder)).toEqual([]);
});

test('npm starts both commands as it starts the server: what is missing is installed first', () => {
  const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  const { scripts } = JSON.parse(manifest) as { scripts: Record<string, string> };
  const [install = '', forget = ''] = (scripts.start ?? '').split(' && ');
  expect([install, forget]).toEqual(['node src/scripts/ensure-installed.mjs', 'hash -r']);
  for (const name of ['backup', 'restore']) {
    const [first, second, command = ''] = (scripts[name] ?? '').split(' && ');
    expect([first, second]).toEqual([install, forget]);
    const file = command.replace('node ', '');
    expect(existsSync(fileURLToPath(new URL(`../../../${file}`, import.meta.url)))).toBe(true);
  }
});
