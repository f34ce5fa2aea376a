import { mkdir, mkdtemp, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { FolderList } from '#contract/entities/site.ts';
import { folderListSchema } from '#contract/entities/site.ts';
import { FolderBrowser } from '#server/features/site/folder-browser.ts';
import { putPerson } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

/** `top` has folders, a file, a hidden folder, and links into it and out of it to `secret`. */
async function plantFolders() {
  const place = await mkdtemp(join(tmpdir(), 'fourfold-folders-'));
  afterAll(() => rm(place, { recursive: true }));
  const [top, secret] = [join(place, 'top'), join(place, 'top-secret')];
  for (const folder of ['top/films/2024', 'top/clip 10', 'top/clip 9', 'top/.hidden', 'top-secret/inner'])
    await mkdir(join(place, folder), { recursive: true });
  await writeFile(join(top, 'film.mp4'), '');
  await symlink(secret, join(top, 'way-out'));
  await symlink(join(top, 'films'), join(top, 'way-in'));
  return { top, secret };
}

const { top, secret } = await plantFolders();
const shared = startServer({ env: { BROWSE_ROOTS: top } }, afterFile);
const admin = shared.then((server) => putPerson(server, 'root', 'admin'));

async function ask(path?: string) {
  const server = await shared;
  const { headers } = await admin;
  const query = path === undefined ? '' : `?path=${encodeURIComponent(path)}`;
  return server.get(`/api/admin/folders${query}`, headers);
}

const namesOf = ({ folders }: FolderList) => folders.map(({ name }) => name);

describe('an administrator who looks for a folder', () => {
  test('begins at the folder that the operator allows, and sees its folders alone, by name', async () => {
    const list = folderListSchema.parse((await ask()).json());
    expect(list).toMatchObject({ path: top, parent: null, is_more: false });
    expect(namesOf(list)).toEqual(['clip 9', 'clip 10', 'films']);
  });

  test('goes into a folder, and is told the way back', async () => {
    const list = folderListSchema.parse((await ask(`${join(top, 'films')}/`)).json());
    expect(list).toEqual({
      path: join(top, 'films'),
      parent: top,
      folders: [{ name: '2024', path: join(top, 'films', '2024') }],
      is_more: false,
    });
  });

  test.each([
    ['half a path', 'top/films'],
    ['a way up', `${top}/films/../..`],
    ['a way up that stays inside', `${top}/films/../films`],
  ])('is refused %s', async (_, path) => {
    const reply = await ask(path);
    expect([reply.statusCode, reply.json().details]).toEqual([
      400,
      [{ field: 'path', message: 'A folder is a whole path that begins with /' }],
    ]);
  });

  test('is refused a path with a sign that would end it', async () => {
    expect((await ask(`${top}\0/films`)).statusCode).toBe(400);
  });

  test.each([
    ['the folder above', join(top, '..')],
    ['a neighbour whose name begins alike', secret],
    ['a link that leads out', join(top, 'way-out')],
    ['a folder behind a link that leads out', join(top, 'way-out', 'inner')],
    ['a file', join(top, 'film.mp4')],
    ['nothing', join(top, 'none')],
    ['a name that is too long', join(top, 'x'.repeat(300))],
  ])('does not get to %s', async (_, path) => {
    expect((await ask(path)).statusCode).toBe(404);
  });

  test('goes through a link that stays inside', async () => {
    expect(namesOf((await ask(join(top, 'way-in'))).json())).toEqual(['2024']);
  });
});

test('a folder that is exchanged for a link while it is read never shows what is behind the link', async () => {
  const root = temporaryFolder();
  const [place, aside] = [join(root, 'films'), join(root, 'aside')];
  await mkdir(place);
  const browser = new FolderBrowser({ browseRoots: [root], libraryFolders: [] });
  let isOver = false;
  const exchange = async () => {
    while (!isOver) {
      await rename(place, aside);
      await symlink(secret, place);
      await unlink(place);
      await rename(aside, place);
    }
  };
  const exchanging = exchange();
  const seen = new Set<string>();
  for (let look = 0; look < 500; look += 1)
    for (const name of await browser.list(place).then(namesOf, () => [])) seen.add(name);
  isOver = true;
  await exchanging;
  expect([...seen]).toEqual([]);
});

test('a folder with more than a thousand folders says that there are more', async () => {
  const root = temporaryFolder();
  await Promise.all(Array.from({ length: 1_001 }, (_, at) => mkdir(join(root, `folder-${at}`))));
  const list = await new FolderBrowser({ browseRoots: [root], libraryFolders: [] }).list('');
  expect([list.folders.length, list.is_more]).toEqual([1_000, true]);
  expect(namesOf(list).slice(0, 3)).toEqual(['folder-0', 'folder-1', 'folder-2']);
});

describe('where nothing is allowed by name', () => {
  const placesOf = async (libraryFolders: string[], browseRoots?: string[]) =>
    namesOf(await new FolderBrowser({ browseRoots, libraryFolders }).list(''));

  test('an administrator may look beside the folders of the library, and never at the whole disk', async () => {
    expect(await placesOf([])).toEqual([]);
    expect(await placesOf(['/srv/media/films', '/srv/media/clips', '/library'])).toEqual(['/srv/media', '/library']);
    expect(await placesOf([join(top, 'films')])).toEqual(['clip 9', 'clip 10', 'films']);
  });

  test('an operator can forbid it', async () => {
    expect(await placesOf(['/srv/films', '/library'], [])).toEqual([]);
    await expect(
      new FolderBrowser({ browseRoots: [], libraryFolders: [top] }).list(join(top, 'films')),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  test('the way back from one of several places leads to all of them', async () => {
    const browser = new FolderBrowser({ browseRoots: [top, secret], libraryFolders: [] });
    expect(await browser.list(secret)).toMatchObject({ parent: '', folders: [{ name: 'inner' }] });
  });
});
