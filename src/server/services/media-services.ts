import type { EncodingsDeps } from '../features/encodings/encodings.ts';
import { Encodings } from '../features/encodings/encodings.ts';
import { availabilityRepository } from '../features/library/availability-repository.ts';
import { ByteSender } from '../features/streaming/byte-sender.ts';
import type { Posters } from '../features/videos/posters.ts';
import { createPosters } from '../features/videos/posters.ts';
import { SourceFiles } from '../features/videos/source-files.ts';
import type { PathResolver } from '../features/videos/video.ts';
import type { Foundations } from '../foundations.ts';
import { Deliveries } from '../http/connections/deliveries.ts';
import { openSocketQueue, UnreadBytes } from '../http/connections/unread-bytes.ts';
import type { Log } from '../log.ts';
import { createEncoder } from '../media/encode/ffmpeg-encoder.ts';
import type { Ffmpeg } from '../media/ffmpeg/ffmpeg.ts';
import { createFfmpeg } from '../media/ffmpeg/ffmpeg.ts';
import type { WorkFolders } from '../media/ffmpeg/work-folders.ts';
import { createWorkFolders } from '../media/ffmpeg/work-folders.ts';
import type { Confinement } from '../media/sandbox/confinement.ts';
import { SubtitleConverter } from '../media/subtitle-converter.ts';
import type { FileCalls } from '../storage/disk-storage.ts';
import type { StorageServices } from './storage-services.ts';
import { uploadedPrefix } from './storage-services.ts';

/** The services that read, encode and send the files of videos. */
export interface MediaServices {
  sources: SourceFiles;
  workFolders: WorkFolders;
  ffmpeg: Ffmpeg;
  converter: SubtitleConverter;
  posters: Posters;
  encodings: Encodings;
  sender: ByteSender;
  unread: UnreadBytes;
  deliveries: Deliveries;
}

/** Replacements for the real services, in tests. */
export interface MediaOverrides {
  confinements?: readonly Confinement[];
  encodings?: {
    files?: FileCalls;
    tools?: Partial<Pick<EncodingsDeps, 'encoder' | 'diskSpace' | 'betweenMs'>>;
  };
}

export async function createMediaServices(
  foundations: Foundations,
  {
    places,
    files,
    diskSpace,
    derivedFiles,
    posterFiles,
    store,
    libraryStores,
    copies,
  }: StorageServices & { places: PathResolver },
  overrides: MediaOverrides,
): Promise<MediaServices> {
  const { env, database, sweepTime, idSets, restrictedTags, clock, log, jobs, folders } = foundations;
  const { ffmpegPath, searchPath } = env;
  const workFolders = createWorkFolders(folders.work, clock);
  const ffmpeg = createFfmpeg({
    configured: ffmpegPath,
    searchPath,
    folders: workFolders,
    confinements: overrides.confinements,
  });
  const converter = new SubtitleConverter();
  const sources = new SourceFiles({
    ...{ places, files, uploadedVideos: store?.storage(uploadedPrefix) ?? null },
    uploadedPlace: `${store?.place ?? ''}${uploadedPrefix}`,
    ...{ libraryStores, copies },
  });
  return {
    sources,
    workFolders,
    ffmpeg,
    converter,
    posters: createPosters({
      ...{ database, idSets, restrictedTags, sweepTime, clock, log },
      ...{ queue: jobs, ffmpeg, sources, files: posterFiles },
    }),
    encodings: new Encodings({
      ...{
        database,
        sweepTime,
        idSets,
        clock,
        log,
        alignEncoded: availabilityRepository.alignEncoded,
        sources,
        diskSpace,
      },
      encoder: createEncoder({ ffmpeg, folders: workFolders, converter }),
      ...overrides.encodings?.tools,
      files: derivedFiles,
      queue: jobs,
      get configuredBytes() {
        return env.derivedBytes;
      },
      folder: env.dataFolder,
    }),
    ...(await createSenders(foundations)),
  };
}

async function createSenders({ clock, streams }: Foundations) {
  const queue = await openSocketQueue();
  const unread = new UnreadBytes(queue);
  return {
    sender: new ByteSender(streams, unread),
    unread,
    deliveries: new Deliveries(queue, clock),
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
  return `${network} Linux 6.2 or newer with Landlock gives one; on others install bubblewrap (bwrap). In a container, the engine has to allow Landlock: Docker 23, Podman 4 or newer.`;
}
