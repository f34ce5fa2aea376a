import type { z } from 'zod';
import type { QualityAnswer, qualityQuestionSchema, VideoUrl } from '#contract/entities/feed.ts';
import type { Processing } from '#contract/entities/video.ts';
import { limits } from '#contract/limits.ts';
import { lackingNeeds, toNeedBits } from '#contract/rules/media-needs.ts';
import type { PictureDemand, PlayableEncoding, Rendition } from '#contract/rules/rendition.ts';
import { chooseRendition, isHeavyToKeep, renditions } from '#contract/rules/rendition.ts';
import type { Database } from '../../database/connection.ts';
import { NotFound, Refusal } from '../../http/pipeline/errors.ts';
import type { RestrictedTags } from '../../id-sets/restricted-tags.ts';
import type { Audience } from './audience.ts';
import { encodingRepository, withDefaultAudio } from './encoding-repository.ts';
import type { Playback, VideoFileChoice } from './playback.ts';
import { choosePlayback, listPlayable } from './playback.ts';
import type { PathResolver } from './video.ts';
import type { MediaUrlDeps } from './video-reply.ts';
import { isDirect, mediaUrl } from './video-reply.ts';

const grid: PlayableEncoding = {
  name: 'grid',
  width: null,
  height: limits.gridRenditionLines,
  kbps: limits.gridKbps,
};
const hd: PlayableEncoding = { name: 'hd', width: null, height: limits.hdRenditionLines, kbps: limits.hdKbps };
/** The source is assumed to be a 4K recording: four times the pixels of `hd`. */
const source: PlayableEncoding = { name: 'source', width: null, height: null, kbps: 4 * limits.hdKbps };

const tall = toNeedBits(['over-1080-lines']);

/**
 * Chooses the quality that fits a quadrant, whichever video it plays, as if every rendition
 * existed.
 */
export function recommendQuality(
  question: z.output<typeof qualityQuestionSchema>,
  { device, lines }: Pick<Audience, 'device' | 'lines'>,
): QualityAnswer {
  const ladder = lackingNeeds(tall, device) === 0 ? [grid, hd, source] : [grid, hd];
  const demand = toDemand(question, lines);
  const { name, height, kbps } = chooseRendition(ladder, demand) ?? grid;
  return {
    quality: name,
    max_height: height,
    max_bitrate_bps: name === 'source' || kbps === null ? null : kbps * 1000,
    reason: explainQuality(ladder, demand),
  };
}

function toDemand(
  {
    width,
    height,
    device_pixel_ratio: ratio,
    bandwidth_mbps: mbps,
    save_data: savesData,
    dropped_frames_percent: dropped,
  }: z.output<typeof qualityQuestionSchema>,
  lines: number,
): PictureDemand {
  return {
    width: width * ratio,
    height: height * ratio,
    kbps: mbps === undefined ? null : mbps * 1000,
    savesData,
    droppedPercent: dropped ?? null,
    lines,
  };
}

/** The demand that ruled out a larger rendition; when none did, the rendition fits. */
const reasons: readonly (readonly [Partial<PictureDemand>, string])[] = [
  [{ savesData: false }, 'The smallest is given to who saves data.'],
  [{ droppedPercent: null }, 'A larger one drops frames on this device.'],
  [{ kbps: null }, 'The network carries no larger one.'],
  [{ lines: Number.POSITIVE_INFINITY }, 'A larger one needs a plan with HD.'],
];

function explainQuality(ladder: readonly PlayableEncoding[], demand: PictureDemand): string {
  const chosen = chooseRendition(ladder, demand);
  const found = reasons.find(([without]) => chooseRendition(ladder, { ...demand, ...without }) !== chosen);
  return found?.[1] ?? 'It fills a quadrant of this size.';
}

export interface VideoUrlDeps extends MediaUrlDeps {
  database: Database;
  places: Pick<PathResolver, 'find' | 'pathOf'>;
  restrictedTags: RestrictedTags;
  encodings: {
    noteUse(content: string): void;
    /** @returns how far the encoding is; null when nothing can make one */
    want(videoNumber: number, use: 'keep'): Promise<Processing | null>;
    wantAudio(videoNumber: number, track: number): Promise<Processing | null>;
  };
}

/**
 * Returns a signed URL of a video: of the wanted rendition or the nearest below it, else of the one
 * that fits a quadrant.
 * @param wanted `keeps`: a heavy source that has no encoding is encoded before other videos;
 * `audio_track`: if there is no encoding with it, one is made, and the URL is that of the default track
 * @throws NotFound for a video that cannot be played or is withheld from the viewer, Refusal 403 for a rendition that the caller
 * may not have
 */
export async function signVideoUrl(
  deps: VideoUrlDeps,
  wanted: {
    path: string;
    quality?: Rendition | undefined;
    keeps?: boolean | undefined;
    audio_track?: number | undefined;
  },
  audience: Audience,
): Promise<VideoUrl> {
  const { database, places, restrictedTags, encodings: maker } = deps;
  const video = await places.find(wanted.path);
  if (video?.isAvailable !== true || (await restrictedTags.isWithheld(audience.rank, video.number)))
    throw new NotFound('video');
  const encodings = await encodingRepository.find(database.reader, video);
  const audioTrack = encodings.find(({ audio }) => audio?.track === wanted.audio_track)?.audio?.track ?? null;
  const playback = choosePlayback({ video, encodings, audioTrack }, audience);
  const playable = listPlayable(video, encodings, audience.device, audioTrack);
  const file = wanted.quality === undefined ? playback.chosen : findNearest(playable, playback, wanted.quality);
  const { size, durationMs } = video;
  const hasNone = withDefaultAudio(encodings).length === 0;
  const isHeavy = hasNone && isHeavyToKeep(size, durationMs === null ? null : durationMs / 1000);
  const url = await mediaUrl(deps, { video, audience, file });
  if (file.content !== null && isDirect(url)) maker.noteUse(file.content);
  return {
    url,
    rendition: file.name,
    width: file.width,
    height: file.height,
    bitrate_bps: file.kbps === null ? null : file.kbps * 1000,
    ...(audioTrack !== null && { audio_track: audioTrack }),
    processing:
      wanted.audio_track !== undefined && audioTrack === null
        ? await maker.wantAudio(video.number, wanted.audio_track)
        : wanted.keeps === true && isHeavy
          ? await maker.want(video.number, 'keep')
          : null,
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
