import type { NightlyBackup } from '../backup/nightly-backup.ts';
import type { Encodings } from '../features/encodings/encodings.ts';
import type { Scanner } from '../features/library/scan/scanner.ts';
import type { AlertWatch } from '../features/performance/alert-watch.ts';
import type { PlaybackHealth } from '../features/performance/playback-health.ts';
import type { NameIndex } from '../features/search/name-index.ts';
import type { NameOrder } from '../features/search/name-order.ts';
import type { TagChangeSweep } from '../features/tags/changes/change-sweep.ts';
import type { Uploads } from '../features/uploads/uploads.ts';
import type { Posters } from '../features/videos/posters.ts';
import type { FreeMemory } from '../free-memory.ts';
import type { Runner } from '../jobs/runner.ts';
import type { Log } from '../log.ts';
import type { Ffmpeg } from '../media/ffmpeg/ffmpeg.ts';
import type { WorkFolders } from '../media/ffmpeg/work-folders.ts';
import type { AccountServices } from './account-services.ts';
import { logFfmpeg } from './media-services.ts';

/** What goes on by itself once the server is up. */
export interface WorkingServices {
  log: Log;
  accounts: Pick<AccountServices, 'startSweeping' | 'stopSweeping'>;
  encodings: Encodings;
  ffmpeg: Ffmpeg;
  freeMemory: FreeMemory;
  nameIndex: NameIndex;
  nameOrder: NameOrder;
  nightlyBackup: NightlyBackup;
  playbackHealth: PlaybackHealth;
  alertWatch: AlertWatch;
  posters: Posters;
  runner: Runner;
  scanner: Scanner;
  tagChangeSweep: TagChangeSweep;
  uploads: Uploads;
  workFolders: WorkFolders;
}

/** Jobs, and what is left over from last time. */
export async function startWork(services: WorkingServices): Promise<void> {
  const { log, encodings, ffmpeg, nameIndex, nightlyBackup, posters, runner, uploads } = services;
  services.freeMemory.start();
  services.accounts.startSweeping();
  services.playbackHealth.start();
  services.alertWatch.start();
  const swept = begin(services.workFolders.sweep());
  // Whoever waits for a video is told from the beginning that it comes.
  const encode = begin(encodings.open());
  const start = async () => runner.start();
  const index = () => nameIndex.start();
  // Large libraries take seconds: nobody waits for it but a list by name.
  const order = begin(services.nameOrder.start());
  const sweepTags = () => services.tagChangeSweep.start();
  const backUp = () => nightlyBackup.start();
  const locate = () => logFfmpeg(ffmpeg, log);
  const convert = () => encodings.queueUnplayable();
  await beginInTurn(
    [
      ...[swept, uploads.start, start, index, sweepTags, posters.open, backUp, locate],
      ...[posters.queueMissing, encode, convert, order],
    ],
    log,
  );
}

/** Before the database is closed: what is under way is stored, or goes back to the queue. */
export async function stopWork(services: WorkingServices): Promise<void> {
  const { accounts, alertWatch, encodings, playbackHealth, posters, runner, scanner, uploads } = services;
  services.nameIndex.stop();
  services.nameOrder.stop();
  services.tagChangeSweep.stop();
  services.nightlyBackup.stop();
  services.freeMemory.stop();
  await uploads.stop();
  alertWatch.stop();
  await Promise.all([runner.stop(), accounts.stopSweeping(), playbackHealth.stop()]);
  await scanner.stop();
  await encodings.stop();
  await posters.stop();
}

/** Has begun already; that it failed is told when its turn has come. */
function begin(work: Promise<unknown>): () => Promise<unknown> {
  work.catch(() => {});
  return () => work;
}

/** The server is up: nothing of this may end it. */
async function beginInTurn(works: readonly (() => Promise<unknown>)[], log: Log): Promise<void> {
  for (const work of works) {
    await work().catch((err: unknown) => log.warn({ err }, 'some of the work in the background could not begin'));
  }
}
