import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { localDisk } from '#server/backup/disk.ts';
import { RestoreFolder, RestoreRefused } from '#server/backup/restore-folder.ts';
import { FailingDisk } from '#tests/support/backup/failing-disk.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

const moves = ['eula.md', 'tls/authority.key', 'fourfold.sqlite'];

/** All of it is made, and moved into the data folder. */
async function openMoved(dataFolder: string): Promise<RestoreFolder> {
  const folder = await RestoreFolder.open(localDisk, dataFolder);
  for (const name of moves) await folder.createFile(name, Buffer.from(name));
  await folder.moveAll({ id: '1', database: 'sqlite', moves });
  return folder;
}

test('what is half taken back never counts as whole, and is taken back by the next one', async () => {
  for (let at = 0; ; at += 1) {
    const dataFolder = temporaryFolder();
    (await openMoved(dataFolder)).leave();
    const disk = new FailingDisk(at + 1, undefined, true);
    const cut = await RestoreFolder.open(disk, dataFolder);
    const error = await cut.undo().catch((thrown: unknown) => thrown);
    cut.leave();
    if (error === undefined) break;
    const hasBegun = !moves.every((name) => existsSync(join(dataFolder, name)));
    if (existsSync(join(dataFolder, 'restoring'))) {
      const next = await RestoreFolder.open(localDisk, dataFolder);
      const journal = await next.readJournal();
      if (hasBegun) expect([at, journal]).toEqual([at, null]);
      await next.undo();
    }
    expect([at, readdirSync(dataFolder).filter((name) => name !== 'restoring-ended')]).toEqual([at, []]);
  }
});

test('nothing that has come up meanwhile is replaced', async () => {
  const dataFolder = temporaryFolder();
  const folder = await RestoreFolder.open(localDisk, dataFolder);
  for (const name of moves) await folder.createFile(name, Buffer.from(name));
  mkdirSync(join(dataFolder, 'tls'));
  writeFileSync(join(dataFolder, 'tls/authority.key'), 'of somebody');
  await expect(folder.moveAll({ id: '1', database: 'sqlite', moves })).rejects.toBeInstanceOf(RestoreRefused);
  await folder.undo();
  expect(readdirSync(dataFolder, { recursive: true }).sort()).toEqual(['tls', 'tls/authority.key']);
});
