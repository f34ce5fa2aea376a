import type { VideoUrl } from '#contract/entities/quality.ts';
import type { Rendition } from '#contract/rules/media/rendition.ts';
import { renditions } from '#contract/rules/media/rendition.ts';
import type { Database } from '../../../database/connection.ts';
import { NotFound, Refusal } from '../../../http/pipeline/errors.ts';
import type { MediaUrlSigner } from '../../../http/signing/signed-urls.ts';
import type { Audience } from '../audience.ts';
import type { Playback } from '../encodings/choose-playback.ts';
import { choosePlayback } from '../encodings/choose-playback.ts';
import { findEncodings } from '../encodings/encoding-repository.ts';
import type { VideoFileChoice } from '../encodings/playable-encodings.ts';
import { listPlayable } from '../encodings/playable-encodings.ts';
import { mediaUrl } from '../media-url.ts';
import type { PathResolver } from '../path-resolver.ts';

export interface VideoUrlDeps {
  database: Pick<Database, 'reader'>;
  places: Pick<PathResolver, 'find' | 'pathOf'>;
  mediaUrls: MediaUrlSigner;
}

/**
 * A signed address of a video: of the encoding that is wanted or the nearest below it, else of what fits a quadrant.
 * @throws NotFound for what cannot be played, Refusal 403 for an encoding that the caller may not have
 */
export async function resolveVideoUrl(
  { database, places, mediaUrls }: VideoUrlDeps,
  wanted: { path: string; quality?: Rendition | undefined },
  audience: Audience,
): Promise<VideoUrl> {
  const video = await places.find(wanted.path);
  if (video?.isAvailable !== true) throw new NotFound('video');
  const encodings = await findEncodings(database.reader, video);
  const playback = choosePlayback({ video, encodings }, audience);
  const playable = listPlayable(video, encodings, audience.device);
  const file = wanted.quality === undefined ? playback.chosen : findNearest(playable, playback, wanted.quality);
  return {
    url: mediaUrl(mediaUrls, { video, path: places.pathOf(video), audience, file }),
    rendition: file.name,
    width: file.width,
    height: file.height,
    bitrate_bps: file.kbps === null ? null : file.kbps * 1000,
  };
}

function findNearest(
  playable: readonly VideoFileChoice[],
  { chosen, allowed }: Playback,
  quality: Rendition,
): VideoFileChoice {
  const nearestFirst = renditions.slice(0, renditions.indexOf(quality) + 1).reverse();
  for (const name of nearestFirst) {
    const found = allowed.find((file) => file.name === name);
    if (found !== undefined) return found;
    if (name === quality && playable.some((file) => file.name === name)) throw new Refusal('forbidden');
  }
  return chosen;
}
