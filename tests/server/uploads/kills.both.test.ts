import { expect, test } from 'vitest';
import { InterruptedUpload } from '#tests/support/processes/interrupted-upload.ts';
import type { UploadingRun } from '#tests/support/processes/uploading-process.ts';
import { soakCases } from '#tests/support/soak.ts';

const kills: UploadingRun['kill'][] = [
  { call: 'open', count: 1, when: 'before' },
  { call: 'write', count: 1, when: 'after' },
  { call: 'write', count: 2, when: 'after' },
  { call: 'rename', count: 1, when: 'after' },
  { call: 'commit', count: 1, when: 'after' },
];

test.each(soakCases(kills, 3))(
  'a server that is killed at %j: the next one goes on, and one row and one file come of it',
  async (kill) => {
    const upload = await InterruptedUpload.open();
    expect(await upload.killAt(kill)).toBe(true);
    await upload.finish();
  },
);
