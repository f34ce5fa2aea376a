import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePackages } from '#tests/support/debian-packages.ts';
import { writeLargeVideo } from '#tests/support/media/large-video.ts';
import { amount } from './form.ts';
import { measureDelay } from './uploads/delay.ts';
import { measureEightAtOnce, measureEightIntoStore } from './uploads/eight-at-once.ts';
import { measureKills } from './uploads/kills.ts';
import { measureSmallDisk } from './uploads/small-disk.ts';
import { measureThroughput } from './uploads/throughput.ts';

const rounds = Number(process.env.ROUNDS ?? amount(5, 1));

/** `node tests/bench/bench.ts uploads`: files of 1 GiB on their way in. */
export async function measureUploads(): Promise<void> {
  await ensurePackages(['nginx', 'curl', 'openssl']);
  const folder = await mkdtemp(join(tmpdir(), 'fourfold-bench-'));
  const film = join(folder, 'film.mp4');
  try {
    await writeLargeVideo(film);
    console.log(`\nLoad average of the machine: ${loadavg()[0]?.toFixed(1)}`);
    await measureThroughput(folder, film, rounds);
    await measureDelay(folder, rounds);
    await measureEightAtOnce(folder, Math.min(rounds, 2));
    await measureEightIntoStore(folder, Math.min(rounds, 2));
    await measureSmallDisk(folder);
    await measureKills(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) await measureUploads();
