import { readFileSync } from 'node:fs';
import { smallVideo } from '#tests/support/media/videos.ts';
import { openListingStore } from '#tests/support/storage/listing-store.ts';

/*
 * A bucket of many videos in a process of its own. Arguments: their number, and the milliseconds before each answer. It
 * tells its parent its address, then what it was asked whenever the parent sends `take`, or `add` for one more video.
 */
const [count = '', delayMs = ''] = process.argv.slice(2);
const store = await openListingStore(
  { count: Number(count), delayMs: Number(delayMs), video: readFileSync(smallVideo()) },
  () => {},
);
process.on('message', (order) => {
  if (order === 'add') store.add();
  process.send?.(store.take());
});
process.once('disconnect', () => process.exit(0));
process.send?.(store.url);
