import { streamVideo } from '#contract/endpoints.ts';
import type { VideoTag } from '#contract/entities/tag.ts';
import type { Processing, Video as VideoReply } from '#contract/entities/video.ts';
import { failures } from '#contract/failures.ts';
import { lackingNeeds } from '#contract/rules/media-needs.ts';
import type { MediaUrlSigner } from '../../http/signing.ts';
import { describeLacking, describeUnplayable } from '../../media/unplayable.ts';
import type { Audience } from './audience.ts';
import type { VideoFileChoice } from './playback.ts';
import { choosePlayback, toEncodingReply } from './playback.ts';
import { posterUrl, toStoryboardReply } from './stills.ts';
import type { LibraryVideo, PathResolver } from './video.ts';
import { titleOf } from './video.ts';
import type { VideoCardRow } from './video-repository.ts';

interface Shown extends VideoCardRow {
  tags: VideoTag[];
  /** Some viewers do not see it. */
  isForSome: boolean;
  /** The encoding in progress or its failure; null for neither. */
  processing: Processing | null;
}

/**
 * A video with the URL of an encoding that suits a card. When this device cannot play it, the
 * message says why.
 */
export function toVideoReply(
  places: PathResolver,
  mediaUrls: MediaUrlSigner,
  audience: Audience,
  { video, tags, isForSome, poster, createdAt, encodings, storyboard, processing }: Shown,
): VideoReply {
  const path = places.pathOf(video);
  const { chosen, allowed } = choosePlayback({ video, encodings }, audience);
  const isPlayable = allowed.length > 0;
  return {
    id: video.id,
    path,
    filename: video.filename,
    title: titleOf(video),
    size: video.size,
    tags,
    ...(isForSome && { restricted: true }),
    url: mediaUrl(mediaUrls, { video, path, audience, file: chosen }),
    poster_url: posterUrl(video.id, poster),
    storyboard: toStoryboardReply(video.id, storyboard),
    available: isPlayable,
    message: isPlayable ? null : explain(video, audience, processing),
    duration: video.durationMs === null ? null : video.durationMs / 1000,
    width: video.width,
    height: video.height,
    renditions: allowed.map(toEncodingReply),
    processing,
    created_at: new Date(createdAt).toISOString(),
    recorded_at: video.recordedAt === null ? null : new Date(video.recordedAt).toISOString(),
  };
}

function explain({ needs }: LibraryVideo, { device }: Audience, processing: Processing | null): string {
  if (processing !== null && processing.state !== 'failed') return failures.madePlayable;
  return describeLacking(lackingNeeds(needs, device)) ?? describeUnplayable(null);
}

interface MediaAddress {
  video: Pick<LibraryVideo, 'id'>;
  /** The path by which clients know the video. */
  path: string;
  audience: Pick<Audience, 'viewer' | 'lines'>;
  file: Pick<VideoFileChoice, 'name' | 'version'>;
}

/** The URL of the bytes, signed for this viewer; it changes with the file (decision 0044). */
export function mediaUrl(signer: MediaUrlSigner, { video, path, audience, file }: MediaAddress): string {
  const { name: rendition, version } = file;
  const { expires, signature } = signer.sign({
    viewer: audience.viewer,
    videoId: video.id,
    rendition,
    right: audience.lines === Number.POSITIVE_INFINITY ? 'hd' : 'everybody',
  });
  const query = { path, rendition, version, expires, signature };
  return `${streamVideo.path}?${Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')}`;
}
