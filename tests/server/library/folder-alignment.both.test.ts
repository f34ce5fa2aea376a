import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RandomBelow } from '#server/ids.ts';
import { putVideos, smallVideo } from '#tests/support/media/videos.ts';
import type { FolderLibrary } from './folder-library.ts';
import { channelsOf, expectSetsToAgree, move, openLibrary, openWith, tagNumberOf } from './folder-library.ts';
import { putTag, removeLink, removeTag, undoRemoval } from './people-and-folders.ts';

/** Every file has bytes of its own. */
function putUnique(folder: string, name: string, content: number): void {
  const bytes = readFileSync(smallVideo());
  bytes.writeUInt32BE(content, bytes.length - 4);
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), bytes);
}

describe('a scan that dies in between', () => {
  /** Fails at one of the writes, then leaves everything to a process that knows nothing of it. */
  async function scanWithDeathAt(
    folder: string,
    address: FolderLibrary['address'],
    at: number,
  ): Promise<{ hasDied: boolean; next: FolderLibrary }> {
    let writes = 0;
    const onWrite = () => {
      writes += 1;
      if (writes === at) throw new Error('died');
    };
    const dying = await openLibrary({ folders: [folder], address, onWrite });
    const hasDied = await dying.scan().then(
      () => false,
      (error: Error) => error.message === 'died',
    );
    const next = await openLibrary({ folders: [folder], address });
    await next.scan();
    return { hasDied, next };
  }

  test('leaves nothing that the next one does not find: links, moves and names, wherever it died', async () => {
    const library = await openWith('Cats/a.mp4', 'Cats/b.mp4', 'Dogs/c.mp4', 'Gone/d.mp4');
    const { folder, address } = library;
    const tags = [await tagNumberOf(library, 'Cats'), await tagNumberOf(library, 'Gone')];
    await removeTag(library, 'Gone', 'for good');
    await library.scan();
    let names = ['Cats', 'Gone'];
    let deaths = 0;
    for (let at = 1, hasDied = true; hasDied; at += 1) {
      const [cats = '', gone = ''] = names;
      names = [`Cats ${at}`, `Gone ${at}`];
      renameSync(join(folder, cats), join(folder, `Cats ${at}`));
      renameSync(join(folder, gone), join(folder, `Gone ${at}`));
      putUnique(folder, `New ${at}/e.mp4`, at);
      const died = await scanWithDeathAt(folder, address, at);
      hasDied = died.hasDied;
      if (hasDied) deaths += 1;
      const news = Array.from({ length: at }, (_, index) => [`New ${index + 1}`, [`New ${index + 1}/e.mp4`]]);
      expect(await channelsOf(died.next)).toEqual({
        [`Cats ${at}`]: [`Cats ${at}/a.mp4`, `Cats ${at}/b.mp4`],
        Dogs: ['Dogs/c.mp4'],
        ...Object.fromEntries(news),
      });
      expect(await tagNumberOf(died.next, `Cats ${at}`)).toBe(tags[0]);
    }
    expect(deaths).toBeGreaterThan(6);
    const last = await openLibrary({ folders: [folder], address });
    await expectSetsToAgree(last);
  });
});

describe('folder channels', () => {
  test('are made by two nodes at once as by one', async () => {
    const one = await openLibrary();
    const other = await openLibrary({ folders: [one.folder], address: one.address });
    for (let round = 1; round <= 3; round += 1) {
      for (let index = 0; index < 12; index += 1)
        putUnique(one.folder, `Round ${round} ${index % 4}/${index}.mp4`, 100 * round + index);
      await Promise.all([one.scan(), other.scan()]);
    }
    await Promise.all([one.scan(), other.scan()]);
    const channels = await channelsOf(one);
    expect(Object.values(channels).map((paths) => paths.length)).toEqual(Array.from({ length: 12 }, () => 3));
    await expectSetsToAgree(one);
    await expectSetsToAgree(other);
  });

  test('follow what the watch sees: new files, moved ones and a renamed folder', async () => {
    const library = await openWith('Cats/a.mp4', 'Cats/b.mp4', 'Dogs/c.mp4');
    const { folder } = library;
    const cats = await tagNumberOf(library, 'Cats');
    copyFileSync(smallVideo(5), join(folder, 'Dogs/new.mp4'));
    await library.scanPlaces('Dogs/new.mp4');
    renameSync(join(folder, 'Cats'), join(folder, 'Lions'));
    await library.scanPlaces('Cats', 'Lions');
    move(folder, 'Dogs/c.mp4', 'Lions/c.mp4');
    await library.scanPlaces('Dogs/c.mp4', 'Lions/c.mp4');
    expect(await channelsOf(library)).toEqual({
      Dogs: ['Dogs/new.mp4'],
      Lions: ['Lions/a.mp4', 'Lions/b.mp4', 'Lions/c.mp4'],
    });
    expect(await tagNumberOf(library, 'Lions')).toBe(cats);
    await expectSetsToAgree(library);
  });

  test('of a renamed folder follow, too, when the new name is seen before the old one is gone', async () => {
    const library = await openWith('Cats/a.mp4', 'Cats/b.mp4', 'Dogs/c.mp4');
    renameSync(join(library.folder, 'Cats'), join(library.folder, 'Lions'));
    await library.scanPlaces('Lions');
    await library.scanPlaces('Cats');
    expect(await channelsOf(library)).toEqual({ Dogs: ['Dogs/c.mp4'], Lions: ['Lions/a.mp4', 'Lions/b.mp4'] });
  });
});

/** Numbers that look random and are the same in each run (mulberry32). */
function seeded(seed: number): RandomBelow {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below) | 0;
  };
}

const folderNames = ['Ants', 'Bees', 'Cats', 'Dogs', 'Eels'];

/** What people have removed, by the number of the tag, and the videos by the names of their files. */
interface Removed {
  links: Set<string>;
  tags: Map<string, number>;
}

class Play {
  readonly removed: Removed = { links: new Set(), tags: new Map() };
  private readonly library: FolderLibrary;
  private readonly random: RandomBelow;
  private readonly places = new Map<string, string>();
  private made = 0;

  constructor(library: FolderLibrary, random: RandomBelow) {
    this.library = library;
    this.random = random;
  }

  async act(): Promise<void> {
    const acts = [
      this.add,
      this.add,
      this.moveOne,
      this.rename,
      this.vanish,
      this.put,
      this.takeOff,
      this.drop,
      this.undo,
    ];
    await acts[this.random(acts.length)]?.call(this);
  }

  private choose<T>(all: readonly T[]): T | undefined {
    return all[this.random(all.length)];
  }

  private add(): void {
    this.made += 1;
    const path = `${this.choose(folderNames)}/${this.made}.mp4`;
    putUnique(this.library.folder, path, this.made);
    this.places.set(String(this.made), path);
  }

  private moveOne(): void {
    const name = this.choose([...this.places.keys()]);
    const path = this.places.get(name ?? '');
    if (name === undefined || path === undefined) return;
    const to = `${this.choose(folderNames)}/${name}.mp4`;
    if (existsSync(join(this.library.folder, to))) return;
    move(this.library.folder, path, to);
    this.places.set(name, to);
  }

  private rename(): void {
    const [from = '', to = ''] = [this.choose(folderNames), this.choose(folderNames)];
    if (!existsSync(join(this.library.folder, from)) || existsSync(join(this.library.folder, to))) return;
    renameSync(join(this.library.folder, from), join(this.library.folder, to));
    for (const [name, path] of this.places) this.places.set(name, path.replace(`${from}/`, `${to}/`));
  }

  private vanish(): void {
    const name = this.choose([...this.places.keys()]);
    if (name === undefined) return;
    rmSync(join(this.library.folder, this.places.get(name) ?? ''));
    this.places.delete(name);
  }

  private async put(): Promise<void> {
    const link = await this.chooseLink();
    if (link !== undefined) await putTag(this.library, link.tag, link.path);
  }

  private async takeOff(): Promise<void> {
    const link = await this.chooseLink();
    if (link === undefined) return;
    await removeLink(this.library, link.tag, link.path);
    this.removed.links.add(`${await tagNumberOf(this.library, link.tag)} ${link.path.split('/').at(-1)}`);
  }

  private async drop(): Promise<void> {
    const name = this.choose(Object.keys(await channelsOf(this.library)));
    if (name === undefined || this.random(3) > 0) return;
    this.removed.tags.set(name, await tagNumberOf(this.library, name));
    await removeTag(this.library, name);
  }

  private async undo(): Promise<void> {
    const [name] = this.removed.tags.keys();
    if (name === undefined || name in (await channelsOf(this.library))) return;
    await undoRemoval(this.library, name);
    this.removed.tags.delete(name);
  }

  /** One that is there as it was last scanned. */
  private async chooseLink(): Promise<{ tag: string; path: string } | undefined> {
    const links = Object.entries(await channelsOf(this.library)).flatMap(([tag, paths]) =>
      paths.map((path) => ({ tag, path: path.replace('!', '') })),
    );
    return this.choose(links);
  }
}

test.each([1, 2, 3])(
  'whatever happens to files and tags, sets and links agree, and nothing removed comes back (%i)',
  async (seed) => {
    const library = await openLibrary();
    const random = seeded(seed);
    const play = new Play(library, random);
    putVideos(library.folder, 'loose.mp4');
    for (let round = 0; round < 25; round += 1) {
      for (let act = random(6); act >= 0; act -= 1) await play.act();
      await library.scan();
      await expectSetsToAgree(library);
      await expectEachInItsFolder(library, play.removed);
    }
  },
);

/** Each video that is there has the link of its folder, unless somebody removed the link or the channel. */
async function expectEachInItsFolder({ database }: FolderLibrary, removed: Removed): Promise<void> {
  const { reader } = database;
  const videos = await reader.selectFrom('videos').selectAll().where('missing_since', 'is', null).execute();
  const channels = await reader
    .selectFrom('folder_channels')
    .innerJoin('tags', 'tags.number', 'folder_channels.tag_number')
    .select(['folder', 'removed', 'tag_number', 'tags.active'])
    .execute();
  const links = await reader.selectFrom('video_tags').selectAll().execute();
  for (const { number, path, filename } of videos) {
    const channel = channels.find(({ folder }) => path.startsWith(`${folder}/`));
    const byFolder = links.filter((link) => link.video_number === number && link.by_folder === 1);
    const isThere = links.some((link) => link.video_number === number && link.tag_number === channel?.tag_number);
    expect(byFolder.every((link) => link.tag_number === channel?.tag_number)).toBe(true);
    if (path.includes('/')) expect(channel).toBeDefined();
    if (channel === undefined || channel.removed === 1) continue;
    expect(channel.active).toBe(1);
    const wasRemoved = removed.links.has(`${channel.tag_number} ${filename}`);
    expect({ path, isThere: isThere || wasRemoved }).toEqual({ path, isThere: true });
    if (byFolder.length > 0) expect(wasRemoved).toBe(false);
  }
  const active = new Set(channels.filter((channel) => channel.active === 1).map((channel) => channel.tag_number));
  for (const tag of removed.tags.values()) expect(active.has(tag)).toBe(false);
}
