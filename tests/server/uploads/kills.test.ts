import { expect, test } from 'vitest';
import { InterruptedUpload } from '#tests/support/processes/interrupted-upload.ts';
import type { UploadingRun } from '#tests/support/processes/uploading-process.ts';
import { soakCases } from '#tests/support/soak.ts';
import { seededRandom } from '#tests/unit/server/id-sets/list-set.ts';

const kills: UploadingRun['kill'][] = [
  { call: 'probe', count: 1, when: 'after' },
  { call: 'rename', count: 1, when: 'before' },
];

test.each(soakCases(kills, 2))(
  'a server that is killed at %j: the next one goes on, and one row and one file come of it',
  async (kill) => {
    const upload = await InterruptedUpload.open();
    expect(await upload.killAt(kill)).toBe(true);
    expect(upload.storedBytes()).not.toBeNull();
    await upload.finish();
  },
);

test('one server after the other is killed at any of its calls: no byte that is on the disk is sent again, and one row and one file come of it', async () => {
  const random = seededRandom(16);
  const upload = await InterruptedUpload.open();
  let stored = 0;
  for (let kills = 0; kills < 2; kills += 1) {
    const when = random(2) === 0 ? 'before' : 'after';
    await upload.killAt({ call: 'any', count: 1 + random(30), when });
    // None once the film is a video.
    const now = upload.storedBytes();
    expect(now ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(stored);
    stored = now ?? stored;
  }
  await upload.finish();
});
