import type { FirstPicks, PickedVideo, PickReply } from '#contract/entities/feed.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { lackingNeeds } from '#contract/rules/media-needs.ts';
import type { TagFilter } from '#contract/rules/tag-filter.ts';
import type { Clock } from '../../clock.ts';
import { Refusal } from '../../http/pipeline/errors.ts';
import type { PickMetrics, PickOutcome } from '../../metrics/request-metrics.ts';
import type { Audience } from '../videos/audience.ts';
import { labelsFor } from '../videos/audience.ts';
import type { StoredEncoding } from '../videos/encoding-repository.ts';
import type { ElementFacts, Playback } from '../videos/playback.ts';
import { choosePlayback, needsLess, toEncodingReply } from '../videos/playback.ts';
import { posterUrl, toStoryboardReply } from '../videos/stills.ts';
import type { PathResolver } from '../videos/video.ts';
import { titleOf } from '../videos/video.ts';
import type { MediaUrlDeps } from '../videos/video-reply.ts';
import { isDirect, mediaUrl } from '../videos/video-reply.ts';
import type { VideoRow } from './feed-repository.ts';
import type { NotPlayable, VideoMaker } from './make-playable.ts';
import { makePlayable } from './make-playable.ts';
import type { PickDeps, PickRequest } from './pick.ts';
import { VideoPicker } from './pick.ts';

interface GiveVideoDeps extends PickDeps, MediaUrlDeps {
  places: PathResolver;
  encodings: VideoMaker & {
    noteUse(content: string): void;
    /** Counts a pick for which a smaller encoding would have sufficed. */
    countPick(videoNumber: number): void;
    /** Counts a pick whose audio the device cannot play. */
    countSilentPick(videoNumber: number): void;
    /**
     * Records the capabilities that a device lacks and that excluded videos from the draw.
     * @param places positions in `mediaNeeds`
     */
    recordMissingNeeds(places: readonly number[]): void;
  };
}

/**
 * Draws a video and describes it for a player.
 * @param element the known state of the quadrant's video element
 * @throws Refusal 404 when no video matches
 */
export type GiveVideo = (request: PickRequest, audience: Audience, element?: ElementFacts) => Promise<PickReply>;

export function createGiveVideo(deps: GiveVideoDeps): GiveVideo {
  const { encodings } = deps;
  const picker = new VideoPicker(deps);
  return async (request, audience, element) => {
    const { device } = audience;
    const pick = await picker.pick(request, audience);
    if (pick.kind === 'none') throw new Refusal('no_videos_available');
    if (pick.kind === 'unavailable') {
      const notPlayable = await makePlayable(pick.found, device, request.isWaitedFor === false ? nobody : encodings);
      if (notPlayable === null) throw new Refusal('no_videos_available');
      return notYet(notPlayable);
    }
    if (request.isWaitedFor !== false) encodings.recordMissingNeeds(pick.missingNeeds);
    const audioTrack = findAudioTrack(pick.encodings, request.audioLanguage);
    const playback = choosePlayback({ ...pick, audioTrack }, audience, element);
    if (lackingNeeds(playback.chosen.needs, device) !== 0) encodings.countSilentPick(pick.video.number);
    if (needsLess(playback.chosen, pick.encodings, element)) encodings.countPick(pick.video.number);
    const { video } = pick;
    const { chosen } = playback;
    const url = await mediaUrl(deps, { video, audience, file: chosen });
    // This server does not hear of the plays of a file that it does not send.
    if (chosen.content !== null && isDirect(url)) encodings.noteUse(chosen.content);
    return toPickReply(deps.places.pathOf(video), url, { ...pick, ...playback, audioTrack, audience });
  };
}

/** An encoding that somebody chose before has sound in the viewer's language, too. */
function findAudioTrack(encodings: readonly StoredEncoding[], language: string | undefined): number | null {
  if (language === undefined) return null;
  return encodings.find(({ audio }) => audio?.language === language)?.audio?.track ?? null;
}

/** Makes nothing, for calls that nobody waits for. */
const nobody: VideoMaker = { want: async () => null };

function notYet(why: NotPlayable): PickReply {
  return { available: false, id: null, path: null, filename: null, url: null, matching: 0, ...why };
}

/** The filters of some quadrants. The others draw from all videos. */
export type FirstFilters = Partial<Record<Quadrant, TagFilter>>;

const unfiltered: TagFilter = { tagIds: [], mode: 'OR' };

/**
 * One video for each quadrant, or none where the filter matches nothing. Videos repeat only when
 * fewer than four match.
 * @throws Refusal 404 when there is no video at all
 */
export async function giveFirstVideos(
  giveVideo: GiveVideo,
  audience: Audience,
  filters: FirstFilters = {},
  { isWaitedFor = true, ...from }: Pick<PickRequest, 'isWaitedFor' | 'watcher' | 'audioLanguage'> = {},
): Promise<FirstPicks> {
  const picks: FirstPicks = {};
  let refusal: unknown = null;
  for (const quadrant of quadrants) {
    const exclude = Object.values(picks).flatMap(({ id }) => id ?? []);
    const filter = filters[quadrant] ?? unfiltered;
    try {
      const request = { ...filter, blockedTagIds: [], exclude, userId: null, isWaitedFor, ...from };
      picks[quadrant] = await giveVideo(request, audience);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'no_videos_available') throw error;
      refusal = error;
    }
  }
  if (Object.keys(picks).length === 0) throw refusal;
  return picks;
}

/** Wraps `giveVideo` to count outcomes and durations. */
export function measurePicks(giveVideo: GiveVideo, clock: Clock, metrics: Pick<PickMetrics, 'record'>): GiveVideo {
  return async (...asked) => {
    const startedAt = clock.elapsed();
    const record = (outcome: PickOutcome) => metrics.record(outcome, (clock.elapsed() - startedAt) / 1000);
    try {
      const reply = await giveVideo(...asked);
      record(reply.available ? 'picked' : 'unavailable');
      return reply;
    } catch (error) {
      record(error instanceof Refusal && error.code === 'no_videos_available' ? 'none' : 'failed');
      throw error;
    }
  };
}

interface Picked extends VideoRow, Playback {
  audience: Audience;
  matching: number;
  unseen?: number;
  /** Null for the default one. */
  audioTrack: number | null;
  /** Some viewers do not see it. */
  isForSome: boolean;
}

function toPickReply(
  path: string,
  url: string,
  { video, tags, isForSome, matching, unseen, poster, storyboard, chosen, allowed, audioTrack, audience }: Picked,
): PickedVideo {
  return {
    available: true,
    message: null,
    id: video.id,
    path,
    filename: video.filename,
    title: titleOf(video),
    url,
    poster_url: posterUrl(video.id, poster),
    duration: video.durationMs === null ? null : video.durationMs / 1000,
    width: video.width,
    height: video.height,
    size: video.size,
    tags: labelsFor(audience.rank, tags),
    ...(isForSome && { restricted: true }),
    rendition: chosen.name,
    ...(audioTrack !== null && { audio_track: audioTrack }),
    renditions: allowed.map(toEncodingReply),
    storyboard: toStoryboardReply(video.id, storyboard),
    matching,
    ...(unseen !== undefined && { unseen }),
  };
}
