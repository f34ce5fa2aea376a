import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ArchiveRefused } from '#server/backup/archive-format.ts';
import { backUp, check, restore } from '#tests/support/backup/commands.ts';
import { archiveName, placeWith, smallPlace } from '#tests/support/backup/site.ts';
import type { PlainMember } from '#tests/support/backup/tar.ts';
import { forge, packMembers, seal, unpackMembers, zip } from '#tests/support/backup/tar.ts';

async function makeArchive(): Promise<Buffer> {
  const file = archiveName();
  await backUp(await smallPlace(), file);
  return readFileSync(file);
}

/** Restores into a place that does not exist yet. @returns the sentence that it is refused with */
async function refusalOf(bytes: Buffer): Promise<string> {
  const file = archiveName();
  writeFileSync(file, bytes);
  const { dataFolder } = placeWith(undefined);
  const to = { dataFolder: join(dataFolder, 'new'), address: placeWith(undefined).address };
  const error = await restore(file, to).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(existsSync(to.dataFolder), 'the place is touched').toBe(false);
  expect(error).toBeInstanceOf(ArchiveRefused);
  return (error as Error).message;
}

const anything = { header: { name: 'files/eula.md' }, bytes: Buffer.from('x') };

function withLastNumber(head: Buffer, last: number): object {
  const { last_numbers, ...facts } = JSON.parse(head.toString()) as { last_numbers: Record<string, number> };
  return { ...facts, last_numbers: { ...last_numbers, tags: last } };
}

/** In the place of the operator's agreement. */
const withMember = (member: PlainMember) => (members: PlainMember[]) =>
  members.map((known) => (known.header.name === 'files/eula.md' ? member : known));

test('an archive of which any byte was changed is refused, wherever it is', async () => {
  const [archive, file] = [await makeArchive(), archiveName()];
  const accepted: number[] = [];
  for (let at = 0; at < archive.length; at += at < 32 || at > archive.length - 128 ? 1 : 5) {
    const changed = Buffer.from(archive);
    changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
    writeFileSync(file, changed);
    await check(file).then(
      () => accepted.push(at),
      (error: unknown) => expect([at, error instanceof ArchiveRefused]).toEqual([at, true]),
    );
  }
  expect(accepted).toEqual([]);
});

test('an archive that was cut off anywhere is refused', async () => {
  const archive = await makeArchive();
  const file = archiveName();
  for (let length = 0; length < archive.length; length += 97) {
    writeFileSync(file, archive.subarray(0, length));
    await expect(check(file), `cut at ${length}`).rejects.toBeInstanceOf(ArchiveRefused);
  }
  expect(await refusalOf(archive.subarray(0, archive.length - 1))).toMatch(/cut off/);
});

describe('an archive is refused, and nothing is touched, when it holds', () => {
  test.each([
    ['a path that leads outside', { name: '../outside' }],
    ['a path within the folder that leads outside', { name: 'files/../../outside' }],
    ['an absolute path', { name: '/etc/cron.d/outside' }],
    ['a file that no operator has', { name: 'files/fourfold.sqlite' }],
    ['a symbolic link', { name: 'files/eula.md', type: 'symlink', linkname: '/etc/passwd' }],
    ['a hard link', { name: 'files/eula.md', type: 'link', linkname: 'backup.json' }],
    ['a device', { name: 'files/eula.md', type: 'character-device', devmajor: 1, devminor: 3 }],
    ['a pipe', { name: 'files/eula.md', type: 'fifo' }],
    ['a folder', { name: 'files/eula.md', type: 'directory' }],
    ['a table that there is not', { name: 'tables/posters/00001.jsonl' }],
  ] as const)('%s', async (_, header) => {
    const forged = await forge(await makeArchive(), withMember({ ...anything, header }));
    expect(await refusalOf(forged)).toMatch(/^It holds /);
  });

  test('a member twice', async () => {
    const forged = await forge(await makeArchive(), (members) => [...members, anything]);
    expect(await refusalOf(forged)).toMatch(/twice/);
  });

  test('a member that the manifest does not have, or another one than it says', async () => {
    const archive = await makeArchive();
    const members = await unpackMembers(archive);
    const changed = await packMembers(withMember(anything)(members));
    expect(await refusalOf(changed)).toMatch(/files\/eula.md was changed/);
    const fewer = await packMembers(members.filter(({ header }) => header.name !== 'files/eula.md'));
    expect(await refusalOf(fewer)).toMatch(/does not name|is missing/);
    const others = await packMembers([
      ...members,
      { header: { name: 'tables/tags/00001.jsonl' }, bytes: Buffer.from('') },
    ]);
    expect(await refusalOf(others)).toMatch(/follows the manifest/);
  });

  test('fewer rows than were written', async () => {
    const forged = await forge(await makeArchive(), (members) =>
      members.filter(({ header }) => !header.name.startsWith('tables/users')),
    );
    expect(await refusalOf(forged)).toMatch(/Not all rows of users/);
  });

  test.each([
    ['that break the rules of the schema', '{"user_id":"nobody","viewer_hash":"a","used_at":1}'],
    ['with a column that there is not', '{"user_id":"ann","viewer_hash":"a","used_at":1,"extra":1}'],
    ['with a column that is no name', '{"a) --":1}'],
    ['of different columns', '{"user_id":"ann","viewer_hash":"a","used_at":1}\n{"user_id":"ben","viewer_hash":"a"}'],
    ['that are none', '[]'],
  ])('rows %s', async (_, line) => {
    const archive = await forge(
      await makeArchive(),
      (members) => [
        ...members.filter(({ header }) => header.name.startsWith('tables') || header.name === 'backup.json'),
        { header: { name: 'tables/known_devices/00001.jsonl' }, bytes: Buffer.from(`${line}\n`) },
      ],
      (manifest) => ({ ...manifest, rows: { ...manifest.rows, known_devices: line.split('\n').length } }),
    );
    expect(await refusalOf(archive)).toMatch(/tables\/known_devices/);
  });

  test('last row numbers from which a table could not go on', async () => {
    const archive = await makeArchive();
    for (const last of [2_147_483_647, 2 ** 40, 1e300, -1]) {
      const forged = await forge(archive, (members) =>
        members.map((member) =>
          member.header.name === 'backup.json'
            ? { ...member, bytes: Buffer.from(JSON.stringify(withLastNumber(member.bytes, last))) }
            : member,
        ),
      );
      expect(await refusalOf(forged), `${last}`).toMatch(/backup.json/);
    }
  });

  test('more than a backup ever unpacks to', async () => {
    const bomb = zip(Buffer.alloc(150 * 1_048_576));
    expect(await refusalOf(bomb)).toMatch(/far more than a backup holds/);
    const members = await unpackMembers(await makeArchive());
    const large = { header: { name: 'files/eula.md' }, bytes: Buffer.alloc(33 * 1_048_576) };
    expect(await refusalOf(await packMembers([...members.slice(0, 1), large]))).toMatch(/too large/);
  });

  test('something after its end, sealed or not', async () => {
    const archive = await makeArchive();
    for (const more of [Buffer.from('more'), Buffer.alloc(1024), archive]) {
      const longer = Buffer.concat([archive, more]);
      expect(await refusalOf(longer)).toMatch(/cut off or changed|twice|damaged/);
      expect(await refusalOf(seal(longer))).toMatch(/damaged|follows the end|twice/);
    }
  });

  test('something else altogether', async () => {
    expect(await refusalOf(Buffer.from('letters'))).toMatch(/no backup of Fourfold/);
    expect(await refusalOf(Buffer.alloc(0))).toMatch(/no backup of Fourfold/);
    expect(await refusalOf(zip(Buffer.from('letters')))).toMatch(/damaged/);
    expect(await refusalOf(await packMembers([anything]))).toMatch(/no backup of Fourfold/);
  });
});
