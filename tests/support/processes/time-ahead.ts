import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * Loaded into a product by `NODE_OPTIONS=--import=...`: its time of day is ahead of the system's by as many
 * milliseconds as the file `time-ahead` in its data folder says, if there is one.
 */
const file = join(process.env.DATA_DIR ?? '', 'time-ahead');
const readPauseMs = 20;
const systemTime = Date.now.bind(Date);

let aheadMs = 0;

setInterval(readAhead, readPauseMs).unref();
Date.now = () => systemTime() + aheadMs;

function readAhead(): void {
  try {
    aheadMs = Number(readFileSync(file, 'utf8'));
  } catch {
    // There is none: the time is the system's.
    aheadMs = 0;
  }
}
