import type { NightlyBackup } from '../backup/nightly-backup.ts';
import type { Env } from '../env.ts';
import type { Duplicates } from '../features/admin/duplicates.ts';
import type { Encodings } from '../features/encodings/encodings.ts';
import type { Scanner } from '../features/library/scan/scanner.ts';
import type { AlertWatch } from '../features/performance/alert-watch.ts';
import type { PlaybackHealth } from '../features/performance/playback-health.ts';
import type { NameIndex } from '../features/search/name-index.ts';
import type { VideoOrders } from '../features/search/video-order.ts';
import type { MeasuredShare } from '../features/site/measured-share.ts';
import type { TagChangeSweep } from '../features/tags/changes/change-sweep.ts';
import type { Uploads } from '../features/uploads/uploads.ts';
import type { Posters } from '../features/videos/posters.ts';
import type { Rounds } from '../features/watched/rounds.ts';
import type { FreeMemory } from '../free-memory.ts';
import type { Runner } from '../jobs/runner.ts';
import type { Log } from '../log.ts';

import type { Ffmpeg } from '../media/ffmpeg/ffmpeg.ts';
import type { WorkFolders } from '../media/ffmpeg/work-folders.ts';
import type { AccountServices } from './account-services.ts';
import { logFfmpeg } from './media-services.ts';

/** The services that work in the background once the server is running. */
interface WorkingServices {
  env: Pick<Env, 'role'>;
  log: Log;
  accounts: Pick<AccountServices, 'startSweeping' | 'stopSweeping'>;
  duplicates: Duplicates;
  encodings: Encodings;
  ffmpeg: Ffmpeg;
  freeMemory: FreeMemory;
  nameIndex: NameIndex;
  orders: VideoOrders;
  nightlyBackup: NightlyBackup;
  playbackHealth: PlaybackHealth;
  alertWatch: AlertWatch;
  measuredShare: MeasuredShare;
  posters: Posters;
  rounds: Rounds;
  runner: Runner;
  scanner: Scanner;
  tagChangeSweep: TagChangeSweep;
  uploads: Uploads;
  workFolders: WorkFolders;
}

/**
 * Starts the background jobs, and finishes what the last run left behind.
 * @param isClosing true from when the server closes: nothing more begins then
 */
export async function startWork(services: WorkingServices, isClosing: () => boolean): Promise<void> {
  const { log, encodings, ffmpeg, nameIndex, nightlyBackup, posters, runner, uploads } = services;
  services.freeMemory.start();
  services.accounts.startSweeping();
  services.playbackHealth.start();
  services.alertWatch.start();
  services.measuredShare.start();
  services.duplicates.start();
  services.rounds.start();
  const swept = begin(services.workFolders.sweep());
  // Starts early: viewers who wait for a video are told from the beginning that it is being
  // encoded.
  const encode = begin(encodings.open());
  const start = async () => {
    if (services.env.role !== 'web') runner.start();
  };
  const index = () => nameIndex.start();
  // This takes seconds for large libraries, and only lists by name depend on it.
  const order = begin(services.orders.name.start());
  const sweepTags = () => services.tagChangeSweep.start();
  const backUp = () => nightlyBackup.start();
  const locate = () => logFfmpeg(ffmpeg, log);
  const convert = () => encodings.queueUnplayable();
  await beginInTurn(
    [
      ...[swept, uploads.start, start, index, sweepTags, posters.open, backUp, locate],
      ...[posters.queueMissing, encode, convert, order],
    ],
    { log, isClosing },
  );
}

/**
 * Stops the background work before the database is closed: work in progress is stored, or returns
 * to the queue.
 */
export async function stopWork(services: WorkingServices): Promise<void> {
  const { accounts, alertWatch, encodings, playbackHealth, posters, runner, scanner, uploads } = services;
  services.nameIndex.stop();
  for (const order of Object.values(services.orders)) order.stop();
  services.tagChangeSweep.stop();
  services.nightlyBackup.stop();
  services.duplicates.stop();
  services.freeMemory.stop();
  await uploads.stop();
  alertWatch.stop();
  services.measuredShare.stop();
  await Promise.all([services.rounds.stop(), runner.stop(), accounts.stopSweeping(), playbackHealth.stop()]);
  await scanner.stop();
  await encodings.stop();
  await posters.stop();
}

/** Wraps work that has started already, so that its failure is reported when its turn has come. */
function begin(work: Promise<unknown>): () => Promise<unknown> {
  work.catch(() => {});
  return () => work;
}

/** Starts works one after the other; no failure may end the running server. */
async function beginInTurn(
  works: readonly (() => Promise<unknown>)[],
  { log, isClosing }: { log: Log; isClosing: () => boolean },
): Promise<void> {
  for (const work of works) {
    if (isClosing()) return;
    await work().catch((err: unknown) => {
      // The database and the store may be closed by now.
      if (!isClosing()) log.warn({ err }, 'some of the work in the background could not begin');
    });
  }
}
