import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { colorOfName } from '#contract/rules/tag.ts';
import { bumpRevision } from '#server/http/pipeline/revision.ts';
import { storeTag } from '#tests/support/media/stored-videos.ts';
import { putVideos, smallVideo } from '#tests/support/media/videos.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';
import type { FolderLibrary } from './folder-library.ts';
import {
  channelsOf,
  expectSetsToAgree,
  move,
  openLibrary,
  openWith,
  tagNumberOf,
  videoNumberOf,
} from './folder-library.ts';
import { claimName, mergeTags, putTag, removeLink, removeTag, undoRemoval } from './people-and-folders.ts';

const foldersOf = async ({ database }: FolderLibrary) =>
  database.reader.selectFrom('folder_channels').select(['folder', 'given_name', 'removed']).execute();

describe('the first folder below a root', () => {
  test('is a channel of its videos, which do not count as tagged', async () => {
    const library = await openWith('Cats/a.mp4', 'Cats/deep/b.mp4', 'Dogs/c.mp4', 'loose.mp4');
    expect(await channelsOf(library)).toEqual({ Cats: ['Cats/a.mp4', 'Cats/deep/b.mp4'], Dogs: ['Dogs/c.mp4'] });
    const untagged = { tags: [], mode: 'OR' as const, blocked: [], isUntagged: true };
    expect(library.idSets.count(untagged)).toBe(4);
    await expectSetsToAgree(library);
  });

  test('gives the same channels however often it is scanned, and nothing is written again', async () => {
    const library = await openWith('Cats/a.mp4', 'Dogs/c.mp4');
    const before = await channelsOf(library);
    await library.scan();
    const seq = async () => library.database.reader.selectFrom('set_counter').select('seq').executeTakeFirst();
    const changes = await seq();
    await library.scan();
    expect([await channelsOf(library), await seq()]).toEqual([before, changes]);
  });

  test('takes in a new file, lets a moved one go, and leaves the links that people made', async () => {
    const library = await openWith('Cats/a.mp4', 'Cats/b.mp4', 'Dogs/c.mp4');
    await putTag(library, 'Cats', 'Cats/b.mp4');
    move(library.folder, 'Cats/a.mp4', 'Dogs/a.mp4');
    move(library.folder, 'Cats/b.mp4', 'Dogs/b.mp4');
    copyFileSync(smallVideo(4), join(library.folder, 'Cats/new.mp4'));
    await library.scan();
    expect(await channelsOf(library)).toEqual({
      Cats: ['Cats/new.mp4', 'Dogs/b.mp4!'],
      Dogs: ['Dogs/a.mp4', 'Dogs/b.mp4', 'Dogs/c.mp4'],
    });
    await expectSetsToAgree(library);
  });

  test('keeps its links to videos that are missing, and has them when they are back', async () => {
    const library = await openWith('Cats/a.mp4', 'Cats/b.mp4');
    move(library.folder, 'Cats/a.mp4', 'Cats/a.gone');
    await library.scan();
    expect(await channelsOf(library)).toEqual({ Cats: ['Cats/a.mp4', 'Cats/b.mp4'] });
    move(library.folder, 'Cats/a.gone', 'Cats/a.mp4');
    await library.scan();
    expect(await channelsOf(library)).toEqual({ Cats: ['Cats/a.mp4', 'Cats/b.mp4'] });
    await expectSetsToAgree(library);
  });

  test('that has lost its last video has no channel until there is one again', async () => {
    const library = await openWith('Cats/a.mp4', 'Dogs/c.mp4');
    const cats = await tagNumberOf(library, 'Cats');
    move(library.folder, 'Cats/a.mp4', 'Dogs/a.mp4');
    await library.scan();
    expect(await channelsOf(library)).toEqual({ Dogs: ['Dogs/a.mp4', 'Dogs/c.mp4'] });
    move(library.folder, 'Dogs/a.mp4', 'Cats/a.mp4');
    await library.scan();
    expect(await channelsOf(library)).toEqual({ Cats: ['Cats/a.mp4'], Dogs: ['Dogs/c.mp4'] });
    expect(await tagNumberOf(library, 'Cats')).toBe(cats);
  });

  test('of two roots is one channel where the names are the same', async () => {
    const [one, two] = [temporaryFolder(), temporaryFolder()];
    putVideos(one, 'Cats/a.mp4');
    putVideos(two, 'cats/b.mp4', 'Birds/c.mp4');
    const library = await openLibrary({ folders: [one, two] });
    await library.scan();
    expect(await channelsOf(library)).toEqual({ Birds: ['Birds/c.mp4'], Cats: ['Cats/a.mp4', 'cats/b.mp4'] });
  });

  test('leaves with its root, and comes back with it as the same channel', async () => {
    const [one, two] = [temporaryFolder(), temporaryFolder()];
    putVideos(one, 'Cats/a.mp4');
    putVideos(two, 'Birds/c.mp4');
    const first = await openLibrary({ folders: [one, two] });
    await first.scan();
    const cats = await tagNumberOf(first, 'Cats');
    const second = await openLibrary({ folders: [two], address: first.address });
    await second.scan();
    expect(await channelsOf(second)).toEqual({ Birds: ['Birds/c.mp4'] });
    const third = await openLibrary({ folders: [one, two], address: first.address });
    await third.scan();
    expect(await channelsOf(third)).toEqual({ Birds: ['Birds/c.mp4'], Cats: ['Cats/a.mp4'] });
    expect(await tagNumberOf(third, 'Cats')).toBe(cats);
    await expectSetsToAgree(third);
  });
});

describe('the name of a folder', () => {
  test('joins a tag or an alias that has it, without regard to case', async () => {
    const library = await openWith('loose.mp4');
    const number = await library.idSets.write(async (transaction, changes) => {
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
    putVideos(library.folder, 'CATS/a.mp4', 'dogs/b.mp4');
    await library.scan();
    expect(await channelsOf(library)).toEqual({ animals: ['dogs/b.mp4'], cats: ['CATS/a.mp4'] });
    expect(await tagNumberOf(library, 'animals')).toBe(number);
    expect(await foldersOf(library)).toMatchObject([{ given_name: null }, { given_name: null }]);
  });

  test('decides its color', async () => {
    const names = ['Birds', 'Cats', 'Dogs', 'Eels'];
    const library = await openWith(...names.map((name) => `${name}/a.mp4`));
    const tags = await library.database.reader.selectFrom('tags').select(['name', 'color']).execute();
    expect(new Map(tags.map(({ name, color }) => [name, color]))).toEqual(
      new Map(names.map((name) => [name, colorOfName(name)])),
    );
    expect(new Set(tags.map(({ color }) => color)).size).toBeGreaterThan(1);
  });

  test('is cleaned, or gives no channel', async () => {
    const bytes = Buffer.concat([Buffer.from('raw '), Buffer.of(0xff)]);
    const folder = temporaryFolder();
    const long = 'x'.repeat(limits.tagNameCharacters + 1);
    putVideos(folder, ' hidden\u200b name/a.mp4', `${long}/b.mp4`, '\u200b/c.mp4', '.dots/d.mp4', 'spare/e.mp4');
    renameSync(join(folder, 'spare'), Buffer.concat([Buffer.from(`${folder}/`), bytes]));
    const library = await openLibrary({ folders: [folder] });
    expect(await library.scan()).toMatchObject({ found: 4 });
    expect(await channelsOf(library)).toEqual({ 'hidden name': [' hidden\u200b name/a.mp4'] });
  });

  test(`is that of a channel for the first ${limits.folderChannels}, by name and in the order of being found`, async () => {
    const names = Array.from({ length: limits.folderChannels + 2 }, (_, index) => `folder ${String(index + 100)}`);
    const library = await openWith(...names.map((name) => `${name}/video.mp4`));
    const found = Object.keys(await channelsOf(library)).sort();
    expect(found).toEqual(names.slice(0, limits.folderChannels));
    putVideos(library.folder, 'a folder/video.mp4');
    await library.scan();
    expect(Object.keys(await channelsOf(library)).sort()).toEqual(found);
    await removeTag(library, 'folder 100');
    await library.scan();
    expect(Object.keys(await channelsOf(library)).sort()).toEqual(['a folder', ...found.slice(1)]);
  });
});

describe('a folder that was renamed', () => {
  test('renames its channel, which stays the same one', async () => {
    const library = await openWith('Cats/a.mp4', 'Cats/b.mp4');
    const cats = await tagNumberOf(library, 'Cats');
    renameSync(join(library.folder, 'Cats'), join(library.folder, 'Big cats'));
    await library.scan();
    expect(await channelsOf(library)).toEqual({ 'Big cats': ['Big cats/a.mp4', 'Big cats/b.mp4'] });
    expect(await tagNumberOf(library, 'Big cats')).toBe(cats);
    renameSync(join(library.folder, 'Big cats'), join(library.folder, 'BIG CATS'));
    await library.scan();
    expect(Object.keys(await channelsOf(library))).toEqual(['BIG CATS']);
    await expectSetsToAgree(library);
  });

  test('does so also when some of its videos are gone, or were moved deeper, or into another root', async () => {
    const [one, two] = [temporaryFolder(), temporaryFolder()];
    putVideos(one, 'Cats/a.mp4', 'Cats/b.mp4', 'Cats/c.mp4', 'spare.mp4');
    putVideos(two, 'Birds/c.mp4');
    const library = await openLibrary({ folders: [one, two] });
    await library.scan();
    const cats = await tagNumberOf(library, 'Cats');
    rmSync(join(one, 'Cats/c.mp4'));
    move(two, `../${one.split('/').at(-1)}/Cats`, 'Pets/cats');
    await library.scan();
    expect(await channelsOf(library)).toMatchObject({ Pets: expect.arrayContaining(['Pets/cats/a.mp4']) });
    expect(await tagNumberOf(library, 'Pets')).toBe(cats);
  });

  test.each([
    ['that somebody has edited', async (library: FolderLibrary) => claimName(library, 'Cats')],
    [
      'whose new name another has',
      async ({ idSets }: FolderLibrary) =>
        idSets.write(async (transaction, changes) => storeTag(transaction, changes, 'lions')),
    ],
  ])('leaves the name of a channel %s', async (_, prepare) => {
    const library = await openWith('Cats/a.mp4', 'Cats/b.mp4');
    await prepare(library);
    renameSync(join(library.folder, 'Cats'), join(library.folder, 'Lions'));
    await library.scan();
    expect(await channelsOf(library)).toMatchObject({ Cats: ['Lions/a.mp4', 'Lions/b.mp4'] });
  });

  test('is none while some of its videos stay, or go elsewhere', async () => {
    const library = await openWith('Cats/a.mp4', 'Cats/b.mp4', 'Dogs/c.mp4', 'Dogs/d.mp4');
    move(library.folder, 'Cats/a.mp4', 'Lions/a.mp4');
    move(library.folder, 'Dogs/c.mp4', 'One/c.mp4');
    move(library.folder, 'Dogs/d.mp4', 'Two/d.mp4');
    await library.scan();
    expect(await channelsOf(library)).toEqual({
      Cats: ['Cats/b.mp4'],
      Lions: ['Lions/a.mp4'],
      One: ['One/c.mp4'],
      Two: ['Two/d.mp4'],
    });
  });
});

describe('what people remove', () => {
  test('never comes back: a link, also after the file went to and fro', async () => {
    const library = await openWith('Cats/a.mp4', 'Cats/b.mp4', 'Dogs/c.mp4');
    await removeLink(library, 'Cats', 'Cats/a.mp4');
    await library.scan();
    move(library.folder, 'Cats/a.mp4', 'Dogs/a.mp4');
    await library.scan();
    expect(await channelsOf(library)).toEqual({ Cats: ['Cats/b.mp4'], Dogs: ['Dogs/a.mp4', 'Dogs/c.mp4'] });
    move(library.folder, 'Dogs/a.mp4', 'Cats/a.mp4');
    await library.scan();
    expect(await channelsOf(library)).toEqual({ Cats: ['Cats/b.mp4'], Dogs: ['Dogs/c.mp4'] });
  });

  test('never comes back: a link that they had put over that of the folder', async () => {
    const library = await openWith('Cats/a.mp4', 'Cats/b.mp4');
    await putTag(library, 'Cats', 'Cats/a.mp4');
    await removeLink(library, 'Cats', 'Cats/a.mp4');
    await library.scan();
    expect(await channelsOf(library)).toEqual({ Cats: ['Cats/b.mp4'] });
  });

  test.each(['softly', 'for good'] as const)(
    'never comes back: a channel %s, whatever its folder is called',
    async (how) => {
      const library = await openWith('Cats/a.mp4', 'Dogs/c.mp4');
      await removeTag(library, 'Cats', how);
      putVideos(library.folder, 'Cats/new.mp4', 'Cats/newer.mp4', 'Cats/newest.mp4');
      await library.scan();
      renameSync(join(library.folder, 'Cats'), join(library.folder, 'Lions'));
      await library.scan();
      expect(await channelsOf(library)).toEqual({ Dogs: ['Dogs/c.mp4'] });
      await expectSetsToAgree(library);
    },
  );

  test('comes back when the removal is undone, with the videos that came meanwhile', async () => {
    const library = await openWith('Cats/a.mp4');
    await removeTag(library, 'Cats');
    putVideos(library.folder, 'Cats/a.mp4', 'Cats/new.mp4');
    await library.scan();
    await undoRemoval(library, 'Cats');
    await library.scan();
    expect(await channelsOf(library)).toEqual({ Cats: ['Cats/a.mp4', 'Cats/new.mp4'] });
    await expectSetsToAgree(library);
  });

  test('stays away from a channel that another was merged into, and new videos of its folder go there', async () => {
    const library = await openWith('Cats/a.mp4', 'Cats/b.mp4', 'Dogs/c.mp4');
    await mergeTags(library, 'Cats', 'Dogs');
    putVideos(library.folder, 'Cats/a.mp4', 'Cats/b.mp4', 'Cats/new.mp4');
    await library.scan();
    const cats = ['Cats/a.mp4', 'Cats/b.mp4', 'Cats/new.mp4'];
    expect(await channelsOf(library)).toEqual({ Dogs: [...cats, 'Dogs/c.mp4'] });
    await removeLink(library, 'Dogs', 'Cats/a.mp4');
    await library.scan();
    expect(await channelsOf(library)).toEqual({ Dogs: ['Cats/b.mp4', 'Cats/new.mp4', 'Dogs/c.mp4'] });
    await removeTag(library, 'Dogs');
    await library.scan();
    expect(await channelsOf(library)).toEqual({});
    expect(await videoNumberOf(library, 'Cats/a.mp4')).toBeGreaterThan(0);
  });
});
