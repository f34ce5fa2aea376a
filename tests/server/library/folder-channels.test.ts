import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { bumpRevision } from '#server/http/pipeline/revision.ts';
import { storeTag } from '#tests/support/media/stored-videos.ts';
import { putVideos } from '#tests/support/media/videos.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';
import { channelsOf, expectSetsToAgree, scan, startWith, tagNumberOf, videoNumberOf } from './folder-library.ts';
import { claimName, mergeTags, putTag, removeLink, removeTag, undoRemoval } from './people-and-folders.ts';

const move = (folder: string, from: string, to: string) => {
  mkdirSync(join(folder, to, '..'), { recursive: true });
  renameSync(join(folder, from), join(folder, to));
};

const foldersOf = async ({ services }: ServerUnderTest) =>
  services.database.reader.selectFrom('folder_channels').select(['folder', 'given_name', 'removed']).execute();

describe('the first folder below a root', () => {
  test('is a channel of its videos, which do not count as tagged', async () => {
    const { server } = await startWith('Cats/a.mp4', 'Cats/deep/b.mp4', 'Dogs/c.mp4', 'loose.mp4');
    expect(await channelsOf(server)).toEqual({ Cats: ['Cats/a.mp4', 'Cats/deep/b.mp4'], Dogs: ['Dogs/c.mp4'] });
    expect((await server.get('/api/tags')).json().tags).toMatchObject([
      { name: 'Cats', video_count: 2, description: '', color: limits.tagColor },
      { name: 'Dogs', video_count: 1 },
    ]);
    const untagged = { tags: [], mode: 'OR' as const, blocked: [], isUntagged: true };
    expect(server.services.idSets.count(untagged)).toBe(4);
    await expectSetsToAgree(server);
  });

  test('gives the same channels however often it is scanned, and nothing is written again', async () => {
    const { server } = await startWith('Cats/a.mp4', 'Dogs/c.mp4');
    const before = await channelsOf(server);
    await scan(server);
    const seq = async () => server.services.database.reader.selectFrom('set_counter').select('seq').executeTakeFirst();
    const changes = await seq();
    await scan(server);
    expect([await channelsOf(server), await seq()]).toEqual([before, changes]);
  });

  test('takes in a new file, lets a moved one go, and leaves the links that people made', async () => {
    const { folder, server } = await startWith('Cats/a.mp4', 'Cats/b.mp4', 'Dogs/c.mp4');
    await putTag(server, 'Cats', 'Cats/b.mp4');
    move(folder, 'Cats/a.mp4', 'Dogs/a.mp4');
    move(folder, 'Cats/b.mp4', 'Dogs/b.mp4');
    putVideos(folder, 'Cats/new.mp4', 'Cats/new 2.mp4', 'Cats/new 3.mp4', 'Cats/new 4.mp4');
    await scan(server);
    expect(await channelsOf(server)).toEqual({
      Cats: ['Cats/new 2.mp4', 'Cats/new 3.mp4', 'Cats/new 4.mp4', 'Cats/new.mp4', 'Dogs/b.mp4!'],
      Dogs: ['Dogs/a.mp4', 'Dogs/b.mp4', 'Dogs/c.mp4'],
    });
    await expectSetsToAgree(server);
  });

  test('keeps its links to videos that are missing, and has them when they are back', async () => {
    const { folder, server } = await startWith('Cats/a.mp4', 'Cats/b.mp4');
    move(folder, 'Cats/a.mp4', 'Cats/a.gone');
    await scan(server);
    expect(await channelsOf(server)).toEqual({ Cats: ['Cats/a.mp4', 'Cats/b.mp4'] });
    move(folder, 'Cats/a.gone', 'Cats/a.mp4');
    await scan(server);
    expect(await channelsOf(server)).toEqual({ Cats: ['Cats/a.mp4', 'Cats/b.mp4'] });
    await expectSetsToAgree(server);
  });

  test('that has lost its last video has no channel until there is one again', async () => {
    const { folder, server } = await startWith('Cats/a.mp4', 'Dogs/c.mp4');
    const cats = await tagNumberOf(server, 'Cats');
    move(folder, 'Cats/a.mp4', 'Dogs/a.mp4');
    await scan(server);
    expect(await channelsOf(server)).toEqual({ Dogs: ['Dogs/a.mp4', 'Dogs/c.mp4'] });
    move(folder, 'Dogs/a.mp4', 'Cats/a.mp4');
    await scan(server);
    expect(await channelsOf(server)).toEqual({ Cats: ['Cats/a.mp4'], Dogs: ['Dogs/c.mp4'] });
    expect(await tagNumberOf(server, 'Cats')).toBe(cats);
  });

  test('of two roots is one channel where the names are the same', async () => {
    const [one, two] = [temporaryFolder(), temporaryFolder()];
    putVideos(one, 'Cats/a.mp4');
    putVideos(two, 'cats/b.mp4', 'Birds/c.mp4');
    const server = await startServer({ library: [one, two] });
    expect(await channelsOf(server)).toEqual({ Birds: ['Birds/c.mp4'], Cats: ['Cats/a.mp4', 'cats/b.mp4'] });
  });

  test('leaves with its root, and comes back with it as the same channel', async () => {
    const [one, two] = [temporaryFolder(), temporaryFolder()];
    putVideos(one, 'Cats/a.mp4');
    putVideos(two, 'Birds/c.mp4');
    const env = { DATA_DIR: temporaryFolder() };
    const first = await startServer({ library: [one, two], env });
    const { databaseUrl } = first.services.env;
    const shared = { ...env, ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }) };
    const cats = await tagNumberOf(first, 'Cats');
    const second = await startServer({ library: [two], env: shared });
    expect(await channelsOf(second)).toEqual({ Birds: ['Birds/c.mp4'] });
    const third = await startServer({ library: [one, two], env: shared });
    expect(await channelsOf(third)).toEqual({ Birds: ['Birds/c.mp4'], Cats: ['Cats/a.mp4'] });
    expect(await tagNumberOf(third, 'Cats')).toBe(cats);
    await expectSetsToAgree(third);
  });

  test('of the demo is none: it has channels of its own', async () => {
    const server = await startServer({ isDemo: true });
    expect(await foldersOf(server)).toEqual([]);
  });
});

describe('the name of a folder', () => {
  test('joins a tag or an alias that has it, without regard to case', async () => {
    const { folder, server } = await startWith('loose.mp4');
    const number = await server.services.idSets.write(async (transaction, changes) => {
      await storeTag(transaction, changes, 'cats');
      await storeTag(transaction, changes, 'animals');
      const animals = await transaction
        .selectFrom('tags')
        .select('number')
        .where('name', '=', 'animals')
        .executeTakeFirst();
      await bumpRevision(transaction, 'tags');
      const alias = { name: 'Dogs', name_key: 'dogs', tag_number: animals?.number ?? 0, created_at: 1 };
      await transaction.insertInto('tag_aliases').values(alias).execute();
      return alias.tag_number;
    });
    putVideos(folder, 'CATS/a.mp4', 'dogs/b.mp4');
    await scan(server);
    expect(await channelsOf(server)).toEqual({ animals: ['dogs/b.mp4'], cats: ['CATS/a.mp4'] });
    expect(await tagNumberOf(server, 'animals')).toBe(number);
    expect(await foldersOf(server)).toMatchObject([{ given_name: null }, { given_name: null }]);
  });

  test('is cleaned, or gives no channel', async () => {
    const bytes = Buffer.concat([Buffer.from('raw '), Buffer.of(0xff)]);
    const folder = temporaryFolder();
    const long = 'x'.repeat(limits.tagNameCharacters + 1);
    putVideos(folder, ' hidden\u200b name/a.mp4', `${long}/b.mp4`, '\u200b/c.mp4', '.dots/d.mp4', 'spare/e.mp4');
    renameSync(join(folder, 'spare'), Buffer.concat([Buffer.from(`${folder}/`), bytes]));
    const server = await startServer({ library: [folder] });
    expect(await channelsOf(server)).toEqual({ 'hidden name': [' hidden\u200b name/a.mp4'] });
    expect((await server.get('/api/status')).json()).toMatchObject({ TotalVideos: 4 });
  });

  test(`is that of a channel for the first ${limits.folderChannels}, by name and in the order of being found`, async () => {
    const names = Array.from({ length: limits.folderChannels + 2 }, (_, index) => `folder ${String(index + 100)}`);
    const { folder, server } = await startWith(...names.map((name) => `${name}/video.mp4`));
    const found = Object.keys(await channelsOf(server)).sort();
    expect(found).toEqual(names.slice(0, limits.folderChannels));
    putVideos(folder, 'a folder/video.mp4');
    await scan(server);
    expect(Object.keys(await channelsOf(server)).sort()).toEqual(found);
    await removeTag(server, 'folder 100');
    await scan(server);
    expect(Object.keys(await channelsOf(server)).sort()).toEqual(['a folder', ...found.slice(1)]);
  });
});

describe('a folder that was renamed', () => {
  test('renames its channel, which stays the same one', async () => {
    const { folder, server } = await startWith('Cats/a.mp4', 'Cats/b.mp4');
    const cats = await tagNumberOf(server, 'Cats');
    renameSync(join(folder, 'Cats'), join(folder, 'Big cats'));
    await scan(server);
    expect(await channelsOf(server)).toEqual({ 'Big cats': ['Big cats/a.mp4', 'Big cats/b.mp4'] });
    expect(await tagNumberOf(server, 'Big cats')).toBe(cats);
    renameSync(join(folder, 'Big cats'), join(folder, 'BIG CATS'));
    await scan(server);
    expect(Object.keys(await channelsOf(server))).toEqual(['BIG CATS']);
    await expectSetsToAgree(server);
  });

  test('does so also when some of its videos are gone, or were moved deeper, or into another root', async () => {
    const [one, two] = [temporaryFolder(), temporaryFolder()];
    putVideos(one, 'Cats/a.mp4', 'Cats/b.mp4', 'Cats/c.mp4', 'spare.mp4');
    putVideos(two, 'Birds/c.mp4');
    const server = await startServer({ library: [one, two] });
    const cats = await tagNumberOf(server, 'Cats');
    rmSync(join(one, 'Cats/c.mp4'));
    move(two, `../${one.split('/').at(-1)}/Cats`, 'Pets/cats');
    await scan(server);
    expect(await channelsOf(server)).toMatchObject({ Pets: expect.arrayContaining(['Pets/cats/a.mp4']) });
    expect(await tagNumberOf(server, 'Pets')).toBe(cats);
  });

  test.each([
    ['that somebody has edited', async (server: ServerUnderTest) => claimName(server, 'Cats')],
    [
      'whose new name another has',
      async ({ services }: ServerUnderTest) =>
        services.idSets.write(async (transaction, changes) => storeTag(transaction, changes, 'lions')),
    ],
  ])('leaves the name of a channel %s', async (_, prepare) => {
    const { folder, server } = await startWith('Cats/a.mp4', 'Cats/b.mp4');
    await prepare(server);
    renameSync(join(folder, 'Cats'), join(folder, 'Lions'));
    await scan(server);
    expect(await channelsOf(server)).toMatchObject({ Cats: ['Lions/a.mp4', 'Lions/b.mp4'] });
  });

  test('is none while some of its videos stay, or go elsewhere', async () => {
    const { folder, server } = await startWith('Cats/a.mp4', 'Cats/b.mp4', 'Dogs/c.mp4', 'Dogs/d.mp4');
    move(folder, 'Cats/a.mp4', 'Lions/a.mp4');
    move(folder, 'Dogs/c.mp4', 'One/c.mp4');
    move(folder, 'Dogs/d.mp4', 'Two/d.mp4');
    await scan(server);
    expect(await channelsOf(server)).toEqual({
      Cats: ['Cats/b.mp4'],
      Lions: ['Lions/a.mp4'],
      One: ['One/c.mp4'],
      Two: ['Two/d.mp4'],
    });
  });
});

describe('what people remove', () => {
  test('never comes back: a link, also after the file went to and fro', async () => {
    const { folder, server } = await startWith('Cats/a.mp4', 'Cats/b.mp4', 'Dogs/c.mp4');
    await removeLink(server, 'Cats', 'Cats/a.mp4');
    await scan(server);
    move(folder, 'Cats/a.mp4', 'Dogs/a.mp4');
    await scan(server);
    expect(await channelsOf(server)).toEqual({ Cats: ['Cats/b.mp4'], Dogs: ['Dogs/a.mp4', 'Dogs/c.mp4'] });
    move(folder, 'Dogs/a.mp4', 'Cats/a.mp4');
    await scan(server);
    expect(await channelsOf(server)).toEqual({ Cats: ['Cats/b.mp4'], Dogs: ['Dogs/c.mp4'] });
  });

  test('never comes back: a link that they had put over that of the folder', async () => {
    const { server } = await startWith('Cats/a.mp4', 'Cats/b.mp4');
    await putTag(server, 'Cats', 'Cats/a.mp4');
    await removeLink(server, 'Cats', 'Cats/a.mp4');
    await scan(server);
    expect(await channelsOf(server)).toEqual({ Cats: ['Cats/b.mp4'] });
  });

  test.each(['softly', 'for good'] as const)(
    'never comes back: a channel %s, whatever its folder is called',
    async (how) => {
      const { folder, server } = await startWith('Cats/a.mp4', 'Dogs/c.mp4');
      await removeTag(server, 'Cats', how);
      putVideos(folder, 'Cats/new.mp4', 'Cats/newer.mp4', 'Cats/newest.mp4');
      await scan(server);
      renameSync(join(folder, 'Cats'), join(folder, 'Lions'));
      await scan(server);
      expect(await channelsOf(server)).toEqual({ Dogs: ['Dogs/c.mp4'] });
      await expectSetsToAgree(server);
    },
  );

  test('comes back when the removal is undone, with the videos that came meanwhile', async () => {
    const { folder, server } = await startWith('Cats/a.mp4');
    await removeTag(server, 'Cats');
    putVideos(folder, 'Cats/a.mp4', 'Cats/new.mp4');
    await scan(server);
    await undoRemoval(server, 'Cats');
    await scan(server);
    expect(await channelsOf(server)).toEqual({ Cats: ['Cats/a.mp4', 'Cats/new.mp4'] });
    await expectSetsToAgree(server);
  });

  test('stays away from a channel that another was merged into, and new videos of its folder go there', async () => {
    const { folder, server } = await startWith('Cats/a.mp4', 'Cats/b.mp4', 'Dogs/c.mp4');
    await mergeTags(server, 'Cats', 'Dogs');
    putVideos(folder, 'Cats/a.mp4', 'Cats/b.mp4', 'Cats/new.mp4');
    await scan(server);
    const cats = ['Cats/a.mp4', 'Cats/b.mp4', 'Cats/new.mp4'];
    expect(await channelsOf(server)).toEqual({ Dogs: [...cats, 'Dogs/c.mp4'] });
    await removeLink(server, 'Dogs', 'Cats/a.mp4');
    await scan(server);
    expect(await channelsOf(server)).toEqual({ Dogs: ['Cats/b.mp4', 'Cats/new.mp4', 'Dogs/c.mp4'] });
    await removeTag(server, 'Dogs');
    await scan(server);
    expect(await channelsOf(server)).toEqual({});
    expect(await videoNumberOf(server, 'Cats/a.mp4')).toBeGreaterThan(0);
  });
});
