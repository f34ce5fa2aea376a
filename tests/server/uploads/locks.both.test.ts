import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { UploadLocks } from '#server/features/uploads/receiving/upload-locks.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';
import { putUploader, SentUpload } from '#tests/support/uploads.ts';

let server: ServerUnderTest;

beforeAll(async () => {
  server = await startServer({}, afterFile);
  await putUploader(server, 'ada');
});

/** Each node has locks of its own, and knows of the others' from the database alone. */
function startNode(times: { leaseMs?: number; renewMs?: number; patienceMs?: number } = {}): UploadLocks {
  const { database, clock, ids } = server.services;
  return new UploadLocks({
    database,
    clock,
    ids,
    times: { leaseMs: 2_000, renewMs: 20, patienceMs: 4_000, retryMs: 5, ...times },
  });
}

async function newFile() {
  const upload = await SentUpload.start(server, await putUploader(server, `user-${server.services.ids.short()}`));
  return { id: upload.session.files[0]?.id ?? '', sessionId: upload.id };
}

test('a request on another node ends the one that holds it, and gets it when that has let go', async () => {
  const file = await newFile();
  const first = await startNode().take(file, true);
  let isReleased = false;
  first.signal.addEventListener('abort', () => {
    isReleased = true;
    void first.release();
  });
  const second = await startNode().take(file, true);
  expect([isReleased, second.isHeld]).toEqual([true, true]);
  await second.release();
});

test('what a dead node holds is free when its lease runs out, and the dead one does not write on', async () => {
  const file = await newFile();
  // It never renews: its process stands still.
  const frozen = await startNode({ leaseMs: 150, renewMs: 1_000_000 }).take(file, true);
  const next = await startNode().take(file, true);
  expect([frozen.isHeld, next.isHeld]).toEqual([false, true]);
  await expect(frozen.renew({ received: 7 })).rejects.toMatchObject({ code: 'locked' });
  expect(frozen.signal.aborted).toBe(true);
  await next.release();
});

test('work that may not be ended is waited for, and in the end refused', async () => {
  const file = await newFile();
  const intake = await startNode().take(file, false);
  await expect(startNode({ patienceMs: 60 }).take(file, true)).rejects.toMatchObject({ code: 'locked' });
  expect(intake.signal.aborted).toBe(false);
  await intake.release();
  await (await startNode().take(file, true)).release();
});

test('of many requests at once on one node the last one gets it, those that waited before it are refused, and never do two have it', async () => {
  const file = await newFile();
  const node = startNode();
  let holders = 0;
  const most: number[] = [];
  const work = async () => {
    const lock = await node.take(file, true);
    holders += 1;
    most.push(holders);
    holders -= 1;
    await lock.release();
  };
  const first = await node.take(file, true);
  const later = Promise.allSettled([work(), work(), work(), work()]);
  await first.release();
  const outcomes = (await later).map((outcome) => (outcome.status === 'fulfilled' ? 'had it' : outcome.reason.code));
  expect([outcomes, most]).toEqual([['locked', 'locked', 'locked', 'had it'], [1]]);
});

test('one statement renews all locks of a process, and writes down how far each file is', async () => {
  const files = await Promise.all([newFile(), newFile(), newFile()]);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const node = startNode({ renewMs: 50 });
  const held = await Promise.all(files.map((file) => node.take(file, true)));
  for (const [index, lock] of held.entries()) lock.reportWith(() => ({ received: 100 + index, speed: 7 }));
  const written = Promise.withResolvers<unknown>();
  const { database } = server.services;
  const write = database.write.bind(database);
  const writes = vi.spyOn(database, 'write').mockImplementation((work) => {
    const writing = write(work);
    written.resolve(writing);
    return writing;
  });
  vi.advanceTimersByTime(50);
  await written.promise;
  const rows = await database.reader
    .selectFrom('upload_files')
    .select(['received', 'speed', 'lock_until'])
    .where(
      'id',
      'in',
      files.map(({ id }) => id),
    )
    .orderBy('received')
    .execute();
  expect(rows.map(({ received, speed }) => [received, speed])).toEqual([
    [100, 7],
    [101, 7],
    [102, 7],
  ]);
  expect(new Set(rows.map(({ lock_until }) => lock_until)).size).toBe(1);
  expect(writes).toHaveBeenCalledTimes(1);
  writes.mockRestore();
  for (const lock of held) await lock.release();
});
