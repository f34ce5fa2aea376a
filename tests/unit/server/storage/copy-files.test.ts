import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copyFiles, planCopy } from '#server/storage/copy-files.ts';
import { DiskStorage, systemFileCalls } from '#server/storage/disk-storage.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

const never = new AbortController().signal;
const typeOf = () => 'video/mp4';

async function* once(bytes: Buffer) {
  yield bytes;
}

async function twoStorages(texts: Readonly<Record<string, string>>) {
  const [source, target] = [temporaryFolder(), temporaryFolder()];
  const [from, to] = [new DiskStorage(source), new DiskStorage(target)];
  for (const [name, text] of Object.entries(texts)) await from.put(name, once(Buffer.from(text)));
  return { from, to, target };
}

test('copies what is missing or of another length, and deletes nothing', async () => {
  const { from, to, target } = await twoStorages({ 'ab/one': 'first', 'cd/two': 'second', 'ef/same': 'third' });
  await to.put('cd/two', once(Buffer.from('half')));
  await to.put('ef/same', once(Buffer.from('third')));
  await to.put('other', once(Buffer.from('of another site')));
  const plan = await planCopy(from, to);
  expect([plan.files.map(({ name }) => name).sort(), plan.bytes]).toEqual([['ab/one', 'cd/two'], 11]);
  const counted: number[] = [];
  const outcome = await copyFiles(plan, { from, to, typeOf, onCopied: (bytes) => counted.push(bytes) }, never);
  expect([outcome, counted.sort()]).toEqual([{ copied: 2, bytes: 11, failed: [] }, [5, 6]]);
  expect(readFileSync(join(target, 'cd/two'), 'utf8')).toBe('second');
  expect((await planCopy(from, to)).files).toEqual([]);
  expect((await to.read('other'))?.toString()).toBe('of another site');
});

test('leaves out what is not wanted', async () => {
  const { from, to } = await twoStorages({ 'parts/one': 'half', 'videos/ab/two': 'whole' });
  const plan = await planCopy(from, to, (name) => name.startsWith('videos/'));
  expect(plan.files.map(({ name }) => name)).toEqual(['videos/ab/two']);
});

test('says which file failed, copies the others, and is done by the next run', async () => {
  const texts = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`ab/${at}`, `text ${at}`]));
  const { from, target } = await twoStorages(texts);
  let renames = 0;
  const rename = async (one: string, other: string) => {
    renames += 1;
    if (renames === 7) throw new Error('ENOSPC');
    await systemFileCalls.rename(one, other);
  };
  const failing = new DiskStorage(target, { calls: { ...systemFileCalls, rename } });
  const first = await copyFiles(await planCopy(from, failing), { from, to: failing, typeOf }, never);
  expect([first.copied, first.failed]).toEqual([
    29,
    [{ name: expect.stringMatching(/^ab\//), reason: new Error('ENOSPC') }],
  ]);
  const to = new DiskStorage(target);
  expect(await copyFiles(await planCopy(from, to), { from, to, typeOf }, never)).toMatchObject({
    copied: 1,
    failed: [],
  });
});

test('takes no target that holds other bytes for a copy', async () => {
  const { from, to } = await twoStorages({ one: 'right' });
  const plan = await planCopy(from, to);
  const put = to.put.bind(to);
  to.put = async (name, bytes) => {
    for await (const _ of bytes);
    await put(name, once(Buffer.from('wrong')));
  };
  const { failed } = await copyFiles(plan, { from, to, typeOf }, never);
  expect(failed).toEqual([{ name: 'one', reason: new Error('The copy holds other bytes than the file.') }]);
  expect(await to.find('one')).toBeNull();
});

test('passes over a file that is gone, and ends where it is told to stop', async () => {
  const { from, to } = await twoStorages({ one: 'first', two: 'second' });
  const plan = await planCopy(from, to);
  await from.remove('one');
  expect(await copyFiles(plan, { from, to, typeOf }, never)).toEqual({ copied: 1, bytes: 6, failed: [] });
  const stopped = new AbortController();
  stopped.abort();
  expect(await copyFiles(plan, { from, to, typeOf }, stopped.signal)).toEqual({ copied: 0, bytes: 0, failed: [] });
});
