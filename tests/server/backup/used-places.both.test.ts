import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readEnv } from '#server/env.ts';
import { openFoundations } from '#server/foundations.ts';
import { createLog } from '#server/log.ts';
import { backUp, restore } from '#tests/support/backup/commands.ts';
import { archiveName, describeSite, emptyPlace, putOperatorFiles, smallPlace } from '#tests/support/backup/site.ts';
import { startServer } from '#tests/support/server-under-test.ts';

async function archiveOfSmallPlace(): Promise<string> {
  const file = archiveName();
  await backUp(await smallPlace(), file);
  return file;
}

test('a restore is refused where there is a site already, with a sentence', async () => {
  const [file, place] = [await archiveOfSmallPlace(), await smallPlace()];
  const before = await describeSite(place);
  await expect(restore(file, place)).rejects.toThrow(
    place.address.kind === 'sqlite'
      ? /^DATA_DIR is not empty: .* holds .*stop the server/
      : /^The database of DATABASE_URL is not empty \(it has the table /,
  );
  expect(await describeSite(place)).toEqual(before);
});

test('a restore is refused where a server runs, with a sentence', async () => {
  const [file, place] = [await archiveOfSmallPlace(), await emptyPlace()];
  const env = {
    DATA_DIR: place.dataFolder,
    ...(place.address.kind === 'sqlite' ? {} : { DATABASE_URL: place.address.url }),
  };
  await startServer({ env });
  await expect(restore(file, place)).rejects.toThrow(
    place.address.kind === 'sqlite' ? /DATA_DIR is not empty.*stop the server/ : /A server is running.*Stop it first/,
  );
});

test('beside PostgreSQL the folder may be in use, unless it has other files of an operator; beside SQLite it may not', async () => {
  const [file, same, other] = [await archiveOfSmallPlace(), await emptyPlace(), await emptyPlace()];
  putOperatorFiles(same.dataFolder);
  mkdirSync(join(same.dataFolder, 'derived'));
  writeFileSync(join(other.dataFolder, 'whats-new.md'), 'another one');
  if (same.address.kind === 'sqlite')
    await expect(restore(file, same)).rejects.toThrow(/holds derived, eula.md, plans.json, …/);
  else await restore(file, same);
  await expect(restore(file, other)).rejects.toThrow(/whats-new.md/);
  expect(readdirSync(other.dataFolder)).toEqual(['whats-new.md']);
  expect(readFileSync(join(other.dataFolder, 'whats-new.md'), 'utf8')).toBe('another one');
});

test('a server does not start on a half restored folder, and says what to do', async () => {
  const place = await emptyPlace();
  mkdirSync(join(place.dataFolder, 'restoring'));
  const env = readEnv({ DATA_DIR: place.dataFolder });
  await expect(openFoundations(env, createLog('silent'), '1.2.3')).rejects.toThrow(
    /is under way, or was interrupted.*npm run restore/,
  );
  expect(readdirSync(place.dataFolder)).toEqual(['restoring']);
});
