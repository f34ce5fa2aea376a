import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { RemoteCopies } from '#server/storage/remote-copies.ts';
import type { LocalFile } from '#server/storage/storage.ts';
import { RemoteShelf } from '#tests/support/storage/remote-shelf.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

const never = new AbortController().signal;

function openCopies(room = 10_000, folder = join(temporaryFolder(), 'copies')) {
  const shelf = new RemoteShelf();
  const copies = new RemoteCopies(folder, async () => room);
  const hold = async (name: string, signal = never): Promise<LocalFile> => {
    const local = await copies.hold(shelf, name, signal);
    if (local === null) throw new Error('There is no such file.');
    return local;
  };
  return { shelf, copies, folder, hold };
}

const textOf = ({ path }: LocalFile) => readFileSync(path, 'utf8');
const isThere = ({ path }: LocalFile) => existsSync(path);

test('a file is copied once, however many ask for it at once', async () => {
  const { shelf, hold } = openCopies();
  shelf.put('film', Buffer.from('four videos'));
  const held = await Promise.all([hold('film'), hold('film'), hold('film')]);
  expect(held.map(textOf)).toEqual(['four videos', 'four videos', 'four videos']);
  for (const local of held) await local[Symbol.asyncDispose]();
  await hold('film');
  expect(shelf.asked).toHaveLength(1);
});

test('another version of a file is another copy', async () => {
  const { shelf, hold } = openCopies();
  shelf.put('film', Buffer.from('first'), 1_000_000);
  const first = await hold('film');
  shelf.put('film', Buffer.from('other'), 2_000_000);
  expect([textOf(await hold('film')), textOf(first)]).toEqual(['other', 'first']);
});

test('the copy that was used longest ago goes first, and none that is being read', async () => {
  const { shelf, copies, hold } = openCopies(10_000);
  for (const name of ['a', 'b', 'c', 'd']) shelf.put(name, Buffer.alloc(3_000, name));
  const [a, b, c] = [await hold('a'), await hold('b'), await hold('c')];
  await a[Symbol.asyncDispose]();
  await c[Symbol.asyncDispose]();
  await b[Symbol.asyncDispose]();
  const again = await hold('a');
  const d = await hold('d');
  expect([a, b, c, d].map(isThere)).toEqual([true, false, true, true]);
  expect(copies.bytes).toBe(9_000);
  await again[Symbol.asyncDispose]();
});

test('who finds no room waits until a copy is no longer read', async () => {
  const { shelf, hold } = openCopies(5_000);
  for (const name of ['a', 'b']) shelf.put(name, Buffer.alloc(3_000, name));
  const a = await hold('a');
  let isHeld = false;
  const b = hold('b').then((local) => {
    isHeld = true;
    return local;
  });
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect([isHeld, shelf.asked]).toEqual([false, ['a 0-2999']]);
  await a[Symbol.asyncDispose]();
  expect([textOf(await b).length, isThere(a)]).toEqual([3_000, false]);
});

test('who waits for room and leaves waits no longer, and nothing is copied for them', async () => {
  const { shelf, hold } = openCopies(5_000);
  for (const name of ['a', 'b']) shelf.put(name, Buffer.alloc(3_000, name));
  const a = await hold('a');
  const leaves = new AbortController();
  const waiting = hold('b', leaves.signal);
  waiting.catch(() => {});
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  leaves.abort(new Error('I have to go.'));
  await expect(waiting).rejects.toThrow('I have to go.');
  await a[Symbol.asyncDispose]();
  expect(shelf.asked).toEqual(['a 0-2999']);
});

test('a file that is larger than all copies may be is refused in words, and costs nothing', async () => {
  const { shelf, hold } = openCopies(5_000);
  shelf.put('film', Buffer.alloc(5_001));
  await expect(hold('film')).rejects.toThrow('larger than the room for copies (CACHE_GB)');
  expect(shelf.asked).toEqual([]);
});

test('who gives up ends the copying only when nobody else waits for it', async () => {
  const { shelf, hold, folder } = openCopies();
  shelf.put('film', Buffer.alloc(5_000, 'x'));
  const started = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  shelf.beforeChunk = async (at) => {
    if (at < 2_000) return;
    started.resolve();
    await goOn.promise;
  };
  const leaves = new AbortController();
  const [left, stays] = [hold('film', leaves.signal), hold('film')];
  left.catch(() => {});
  await started.promise;
  leaves.abort(new Error('I have to go.'));
  await expect(left).rejects.toThrow('I have to go.');
  goOn.resolve();
  expect(textOf(await stays)).toHaveLength(5_000);

  const last = new AbortController();
  shelf.put('other', Buffer.alloc(5_000, 'y'));
  shelf.beforeChunk = (at) => {
    if (at >= 2_000) last.abort(new Error('Me, too.'));
  };
  await expect(hold('other', last.signal)).rejects.toThrow('Me, too.');
  await vi.waitFor(() => expect(readdirSync(folder)).toHaveLength(1));
  shelf.beforeChunk = () => {};
  expect(textOf(await hold('other'))).toHaveLength(5_000);
});

test('a copy that broke off is no copy', async () => {
  const { shelf, hold, folder } = openCopies();
  shelf.put('film', Buffer.alloc(5_000, 'x'));
  shelf.beforeChunk = (at) => {
    if (at >= 3_000) throw new Error('The store stopped.');
  };
  await expect(hold('film')).rejects.toThrow('The store stopped.');
  expect(readdirSync(folder)).toEqual([]);
  shelf.beforeChunk = () => {};
  expect(textOf(await hold('film'))).toHaveLength(5_000);
});

test('the next process finds the copies, and removes what was half made', async () => {
  const { shelf, hold, folder } = openCopies();
  shelf.put('film', Buffer.from('four videos'));
  const { path } = await hold('film');
  writeFileSync(`${path}0.part`, 'half');
  const next = new RemoteCopies(folder, async () => 10_000);
  const local = await next.hold(shelf, 'film', never);
  expect([local?.path, readdirSync(folder).length, shelf.asked.length]).toEqual([path, 1, 1]);
});

test('an answer is sent from a copy while there is one of the expected file', async () => {
  const { shelf, copies, hold } = openCopies();
  shelf.put('film', Buffer.from('four videos'), 5_000_000);
  expect(await copies.open('film', { size: 11, modifiedUs: null })).toBeNull();
  const held = await hold('film');
  const opened = await copies.open('film', { size: 11, modifiedUs: 5_000_000 });
  await held[Symbol.asyncDispose]();
  const into = Buffer.alloc(6);
  if (opened?.kind !== 'opened') throw new Error('The copy is not opened.');
  expect([await opened.file.read(into, 5), into.toString()]).toEqual([6, 'videos']);
  await copies.clear();
  expect(await opened.file.read(into, 0)).toBe(6);
  opened.file.release();
  for (const expected of [
    { size: 12, modifiedUs: null },
    { size: 11, modifiedUs: 1 },
  ])
    expect(await copies.open('film', expected)).toBeNull();
  await copies.clear();
  expect([copies.bytes, await copies.open('film', { size: 11, modifiedUs: null })]).toEqual([0, null]);
});

test('a copy that somebody has removed is made again', async () => {
  const { shelf, hold, folder } = openCopies();
  shelf.put('film', Buffer.from('four videos'));
  await (await hold('film'))[Symbol.asyncDispose]();
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  expect(textOf(await hold('film'))).toBe('four videos');
});

test('a folder that somebody has filled with other things is no reason to fail', async () => {
  const folder = join(temporaryFolder(), 'copies');
  mkdirSync(join(folder, 'a-folder'), { recursive: true });
  const { shelf, hold } = openCopies(10_000, folder);
  shelf.put('film', Buffer.from('four videos'));
  expect(textOf(await hold('film'))).toBe('four videos');
});
