import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '#server/clock.ts';
import { openDatabase } from '#server/database/connection.ts';
import { migrate } from '#server/database/migrate.ts';
import type { LibraryLinkDeps } from '#server/features/library/scan/library-link.ts';
import { LibraryLink } from '#server/features/library/scan/library-link.ts';
import { createLog } from '#server/log.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

const request = { roots: [], demoChannelsFile: '', ownFolders: [], now: 0, listedSince: null, foldersElsewhere: [] };
const order = () => ({ isWatching: false, signal: new AbortController().signal, onProgress: () => {} });

function openLink(parts: Partial<LibraryLinkDeps> = {}) {
  const file = join(temporaryFolder(), 'later', 'test.sqlite');
  const catchUp = vi.fn(async () => {});
  const log = createLog('silent', process.stdout);
  const link = new LibraryLink({
    data: { stores: [], address: { kind: 'sqlite', file } },
    idSets: { catchUp },
    log,
    onNoticed: () => {},
    onWanted: () => {},
    ...parts,
  });
  onTestFinished(() => link.stop());
  return { file, link };
}

async function makeDatabase(file: string): Promise<void> {
  mkdirSync(dirname(file), { recursive: true });
  const database = openDatabase({ kind: 'sqlite', file });
  await migrate(database, systemClock);
  await database.close();
}

test('a scan that follows one whose thread has died is answered by a thread of its own', async () => {
  const { file, link } = openLink();
  writeFileSync(dirname(file), 'A folder cannot be here.');
  expect(await link.scan(request, order())).toBeNull();
  rmSync(dirname(file));
  await makeDatabase(file);
  expect(await link.scan(request, order())).toMatchObject({ found: 0 });
});

test('a thread that dies with a scan is not asked for another at once: whoever asked for the scan asks again in time', async () => {
  const onWanted = vi.fn();
  const { file, link } = openLink({ onWanted });
  writeFileSync(dirname(file), 'A folder cannot be here.');
  expect(await link.scan(request, { ...order(), isWatching: true })).toBeNull();
  expect(onWanted).not.toHaveBeenCalled();
});

test('a scan is answered although the sets in memory could not be brought up to date', async () => {
  const catchUp = () => Promise.reject(new Error('The database is away.'));
  const { file, link } = openLink({ idSets: { catchUp } });
  await makeDatabase(file);
  expect(await link.scan(request, order())).toMatchObject({ found: 0 });
});
