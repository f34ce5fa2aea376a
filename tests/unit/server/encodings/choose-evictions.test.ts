import { expect, test } from 'vitest';
import type { StoredItem } from '#server/features/encodings/derived-repository.ts';
import { chooseEvictions } from '#server/features/encodings/room.ts';

const hour = 3_600_000;
const now = 1_000 * hour;

function item(videoNumber: number, hoursAgo: number, isNeeded = false): StoredItem {
  const usedAt = now - hoursAgo * hour;
  return { videoNumber, rendition: 'grid', content: String(videoNumber), bytes: 100, usedAt, isNeeded };
}

const playing = 9;
const isPlaying = ({ videoNumber }: StoredItem) => videoNumber === playing;

test.each([
  ['nothing while there is room', [item(1, 50)], 0, 'waiting', []],
  ['what was used least recently', [item(1, 2), item(2, 50), item(3, 20)], 150, 'waiting', [2, 3]],
  ['what its video plays without, before what it needs', [item(1, 90, true), item(2, 2)], 100, 'unplayable', [2]],
  ['what is needed once nobody has played it for a day', [item(1, 90, true), item(2, 2)], 200, 'unplayable', [2, 1]],
  ['nothing needed that was played today', [item(1, 20, true), item(2, 2)], 200, 'waiting', [2]],
  ['never what plays', [item(playing, 50), item(2, 2)], 200, 'waiting', [2]],
  ['nothing for work in the background', [item(1, 50)], 100, 'popular', []],
  ['nothing for what some devices lack', [item(1, 50)], 100, 'lacking', []],
] as const)('goes: %s', (_, items, bytes, reason, gone) => {
  const chosen = chooseEvictions(items, { bytes, reason, now, isPlaying });
  expect(chosen.map(({ videoNumber }) => videoNumber)).toEqual(gone);
});
