import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { lateMs, SweepTime } from '#server/database/sweep-time.ts';
import { sweepUploads } from '#server/features/uploads/session-end.ts';
import { uploadRemoval } from '#server/features/uploads/stored/upload-removal.ts';
import { putPerson } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { openUpload, storeUpload } from '#tests/support/stored-uploads.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const clock = settableClock();
const server = await startServer({ overrides: { clock, jobTimes: { poll: 10 } } }, afterFile);
const { database, folders, ids, jobs, uploads } = server.services;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const decadeMs = 3_653 * dayMs;

/** What the product does by itself, at every start and once an hour or a day. */
async function sweepAll(): Promise<void> {
  await sweepUploads(uploads);
  await uploadRemoval.sweep(uploads);
  await uploads.reconciler.run();
  await server.services.playbackHealth.write();
  await server.services.tagChangeSweep.start();
  await vi.waitFor(async () => expect(await jobs.isActive('tag-change-sweep', 'all')).toBe(false), { interval: 5 });
}

test('a clock that is ten years ahead for a day destroys nothing that can be brought back', async () => {
  const boss = await putPerson(server, 'boss', 'admin');
  const removed = await storeUpload(server, boss.id);
  await uploadRemoval.delete(uploads, removed.id, { userId: boss.id, isAdmin: true });
  const stray = join(folders.uploads, 'videos', '00', `${ids.long().slice(0, -2)}00.mp4`);
  mkdirSync(dirname(stray), { recursive: true });
  writeFileSync(stray, 'of a backup that is older');
  utimesSync(stray, clock.now() / 1_000, clock.now() / 1_000);
  const { id: tag } = (
    await server.call('POST', '/api/tags', { headers: boss.headers, payload: { name: 'Kept' } })
  ).json().tag;
  await server.call('DELETE', `/api/tags/${tag}`, { headers: boss.headers });
  await database.write((transaction) =>
    transaction
      .insertInto('bandwidth_stats')
      .values({ slot_seconds: 60, starts_at: clock.now() - hourMs, node: 'gone', bytes: 1, viewer_ms: 1 })
      .execute(),
  );
  await sweepAll();
  clock.pass(hourMs);
  const half = await openUpload(server, boss.id, { bytes: Buffer.alloc(10) });
  const partOf = join(folders.uploads, 'parts', half.id);
  mkdirSync(dirname(partOf), { recursive: true });
  writeFileSync(partOf, 'half');

  clock.jump(decadeMs);
  await sweepAll();
  clock.pass(hourMs);
  await sweepAll();
  expect(existsSync(partOf)).toBe(true);
  for (let hour = 0; hour < 23; hour += 1) {
    clock.pass(hourMs);
    await sweepAll();
  }
  clock.jump(-decadeMs);
  await sweepAll();

  expect([removed.file, stray].map((file) => existsSync(file))).toEqual([true, true]);
  const again = await putPerson(server, 'boss-again', 'admin');
  const [change] = (await server.get('/api/admin/tags/changes', again.headers)).json().changes;
  expect(
    (await server.call('POST', `/api/admin/tags/changes/${change.id}/undo`, { headers: again.headers })).statusCode,
  ).toBeLessThan(300);
  expect(
    (await server.call('POST', `/api/admin/uploads/removed/${removed.id}/restore`, { headers: again.headers }))
      .statusCode,
  ).toBeLessThan(300);
});

test('the time of the sweeps is never ahead of the clock, and runs at most ten times as fast as the server', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          fc.record({ does: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 3 * dayMs }) }),
          fc.record({ does: fc.constant('jump' as const), ms: fc.integer({ min: -decadeMs, max: decadeMs }) }),
          fc.record({ does: fc.constantFrom('restart' as const, 'read' as const), ms: fc.constant(0) }),
        ),
        { maxLength: 12 },
      ),
      async (steps) => {
        const own = settableClock();
        await database.write((transaction) =>
          transaction.deleteFrom('settings').where('name', '=', 'swept_until').execute(),
        );
        let sweepTime = new SweepTime({ database, clock: own });
        const [first, start] = [await sweepTime.read(), own.elapsed()];
        for (const { does, ms } of [...steps, { does: 'read' as const, ms: 0 }]) {
          if (does === 'pass') own.pass(ms);
          if (does === 'jump') own.jump(ms);
          if (does === 'restart') sweepTime = new SweepTime({ database, clock: own });
          if (does !== 'read') continue;
          const [time, late] = await Promise.all([sweepTime.read(), sweepTime.readLate()]);
          expect(Number.isSafeInteger(time), 'columns of times hold whole milliseconds').toBe(true);
          expect(time).toBeLessThanOrEqual(own.now());
          expect(time - first).toBeLessThanOrEqual(10 * (own.elapsed() - start));
          expect(late).toBe(time - lateMs);
        }
      },
    ),
    { numRuns: 25 },
  );
});
