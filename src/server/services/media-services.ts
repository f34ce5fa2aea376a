import type { Env } from '../env.ts';
import type { EncodingsDeps } from '../features/encodings/encodings.ts';
import { Encodings } from '../features/encodings/encodings.ts';
import { alignEncoded } from '../features/library/availability-repository.ts';
import { ByteSender } from '../features/streaming/byte-sender.ts';
import { SharedFiles } from '../features/streaming/shared-files.ts';
import { createPosters } from '../features/videos/posters.ts';
import type { PathResolver } from '../features/videos/video.ts';
import type { Foundations } from '../foundations.ts';
import { Deliveries } from '../http/connections/deliveries.ts';
import { openSocketQueue, UnreadBytes } from '../http/connections/unread-bytes.ts';
import type { Log } from '../log.ts';
import { createEncoder } from '../media/encode/ffmpeg-encoder.ts';
import type { Ffmpeg } from '../media/ffmpeg/ffmpeg.ts';
import { createFfmpeg } from '../media/ffmpeg/ffmpeg.ts';
import { createWorkFolders } from '../media/ffmpeg/work-folders.ts';
import type { Confinement } from '../media/sandbox/confinement.ts';
import { SubtitleConverter } from '../media/subtitle-converter.ts';
import { createContentFiles } from '../storage/content-files.ts';
import { DerivedFiles } from '../storage/derived-files.ts';
import type { FileCalls } from '../storage/storage.ts';
import { DiskStorage } from '../storage/storage.ts';

/** Creates the services that need ffmpeg. */
export function createMediaServices(
  env: Env,
  { folders, clock, database, sweepTime, log, jobs, ids }: Foundations,
  places: PathResolver,
  confinements?: readonly Confinement[],
) {
  const workFolders = createWorkFolders(folders.work, clock);
  const { ffmpegPath, searchPath } = env;
  const ffmpeg = createFfmpeg({ configured: ffmpegPath, searchPath, folders: workFolders, confinements });
  const converter = new SubtitleConverter();
  const files = createContentFiles(folders.posters, '.webp', ids);
  return {
    workFolders,
    ffmpeg,
    converter,
    encoder: createEncoder({ ffmpeg, folders: workFolders, converter }),
    posters: createPosters({ database, sweepTime, clock, log, queue: jobs, ffmpeg, places, files }),
  };
}

/** Logs once which ffmpeg is used, and how it is sandboxed. */
export async function logFfmpeg(ffmpeg: Ffmpeg, log: Log): Promise<void> {
  if ((await ffmpeg.locate()) === null) {
    log.warn('There is no ffmpeg that works: videos play as they are, without posters.');
    return;
  }
  const confinement = await ffmpeg.confinement();
  if (confinement.kind !== 'none') log.info({ sandbox: confinement.kind }, 'ffmpeg sees its input and nothing else');
  else
    log.warn(
      `Degraded: ffmpeg runs without a sandbox and could read what this server reads. ${sandboxAdvice(confinement.isolation.length > 0)}`,
    );
}

function sandboxAdvice(isIsolated: boolean): string {
  const network = isIsolated ? 'It has no network.' : 'It could reach the network too.';
  return `${network} Linux 6.2 or newer with Landlock gives one; on others install bubblewrap (bwrap).`;
}

type EncodingTools = Pick<EncodingsDeps, 'encoder' | 'diskSpace' | 'betweenMs'>;

/** Replacements for the real services, in tests. */
export interface EncodingOverrides {
  files?: FileCalls;
  tools?: Partial<EncodingTools>;
}

/** The storage of derived files, and the encodings that fill it. */
export interface EncodingServices {
  derivedFiles: DerivedFiles;
  encodings: Encodings;
}

export function createEncodingServices(
  env: Env,
  { database, sweepTime, idSets, clock, log, jobs, folders, ids }: Foundations,
  tools: EncodingTools & Pick<EncodingsDeps, 'places'>,
  overrides: EncodingOverrides = {},
): EncodingServices {
  const derivedFiles = new DerivedFiles(new DiskStorage(folders.derived, overrides.files), ids);
  const encodings = new Encodings({
    ...{ database, sweepTime, idSets, clock, log, alignEncoded },
    ...tools,
    ...overrides.tools,
    files: derivedFiles,
    queue: jobs,
    configuredBytes: env.derivedBytes,
    folder: env.dataFolder,
  });
  return { derivedFiles, encodings };
}

/** The services that send bytes of videos. */
export interface StreamingServices {
  files: SharedFiles;
  sender: ByteSender;
  unread: UnreadBytes;
  deliveries: Deliveries;
}

export async function createStreamingServices({ clock, streams }: Foundations): Promise<StreamingServices> {
  const queue = await openSocketQueue();
  const unread = new UnreadBytes(queue);
  return {
    files: new SharedFiles(clock),
    sender: new ByteSender({ streams, unread }),
    unread,
    deliveries: new Deliveries(queue, clock),
  };
}
