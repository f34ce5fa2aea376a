import type { Env } from '../env.ts';
import { createPosters } from '../features/videos/posters.ts';
import type { PathResolver } from '../features/videos/video.ts';
import type { Foundations } from '../foundations.ts';
import type { Log } from '../log.ts';
import { createEncoder } from '../media/encode/ffmpeg-encoder.ts';
import type { Ffmpeg } from '../media/ffmpeg/ffmpeg.ts';
import { createFfmpeg } from '../media/ffmpeg/ffmpeg.ts';
import { createWorkFolders } from '../media/ffmpeg/work-folders.ts';
import type { Confinement } from '../media/sandbox/confinement.ts';
import { SubtitleConverter } from '../media/subtitles/subtitle-converter.ts';
import { createContentFiles } from '../storage/content-files.ts';

/** What ffmpeg is needed for. */
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

/** Says once which ffmpeg there is, and how it is confined. */
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
