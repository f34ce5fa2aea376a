import { streamVideo } from '#contract/endpoints.ts';
import type { VideoTag } from '#contract/entities/tag.ts';
import type { Processing, Video as VideoReply } from '#contract/entities/video.ts';
import { failures } from '#contract/failures.ts';
import { lackingNeeds } from '#contract/rules/media-needs.ts';
import type { MediaUrlSigner } from '../../http/signing.ts';
import { describeLacking, describeUnplayable } from '../../media/unplayable.ts';
import type { DerivedFiles } from '../../storage/derived-files.ts';
import type { Audience } from './audience.ts';
import type { VideoFileChoice } from './playback.ts';
import { choosePlayback, toEncodingReply } from './playback.ts';
import type { SourceFiles } from './source-files.ts';
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
export async function toVideoReply(
  urls: MediaUrlDeps,
  audience: Audience,
  { video, tags, isForSome, poster, createdAt, encodings, storyboard, processing }: Shown,
): Promise<VideoReply> {
  const path = urls.places.pathOf(video);
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
    url: await mediaUrl(urls, { video, audience, file: chosen }),
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

/** The services that know where a file lies, and sign its URL. */
export interface MediaUrlDeps {
  places: Pick<PathResolver, 'pathOf'>;
  mediaUrls: MediaUrlSigner;
  sources: Pick<SourceFiles, 'addressOf'>;
  derivedFiles: Pick<DerivedFiles, 'addressOf'>;
}

interface MediaAddress {
  video: Pick<LibraryVideo, 'id' | 'rootNumber' | 'path'>;
  audience: Pick<Audience, 'viewer' | 'lines'>;
  file: Pick<VideoFileChoice, 'name' | 'version' | 'content'>;
}

/**
 * The URL of the bytes, which changes with the file. It is this server's own, signed for this
 * viewer (decision 0044), or where the store delivers its files, an absolute one that is the same
 * for everybody (decision 0082).
 */
export async function mediaUrl(
  { places, mediaUrls, sources, derivedFiles }: MediaUrlDeps,
  { video, audience, file }: MediaAddress,
): Promise<string> {
  const { name: rendition, version, content } = file;
  const named = { rendition, version };
  const direct =
    content === null ? sources.addressOf(video, named) : derivedFiles.addressOf({ content, extension: '.mp4' }, named);
  if (direct !== null) return direct;
  const { expires, signature } = mediaUrls.sign({
    viewer: audience.viewer,
    videoId: video.id,
    rendition,
    right: audience.lines === Number.POSITIVE_INFINITY ? 'hd' : 'everybody',
  });
  const query = { path: places.pathOf(video), rendition, version, expires, signature };
  return `${streamVideo.path}?${Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')}`;
}

/** Whether other machines than this server send the bytes of a URL. */
export function isDirect(url: string): boolean {
  return !url.startsWith('/');
}
