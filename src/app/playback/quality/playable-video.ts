import type { PickedVideo } from '#contract/entities/feed.ts';
import type { Storyboard, Video, VideoEncoding } from '#contract/entities/video.ts';
import { limits } from '#contract/limits.ts';
import type { NeedBits } from '#contract/rules/media-needs.ts';
import type { PictureDemand, QualityChoice, Rendition } from '#contract/rules/rendition.ts';

/** A video as the app stores it, whichever call returned it. */
export interface PlayableVideo {
  id: string;
  /** The path that API calls identify the video by, relative to its library root. */
  path: string;
  title: string;
  url: string;
  /** The encoding behind `url`. */
  rendition: Rendition;
  /** The place of the audio track behind `url` among those of the file; absent: the default one. */
  audioTrack?: number | undefined;
  /** All renditions that this device plays and this viewer may use. */
  renditions: readonly VideoEncoding[];
  storyboard: Storyboard | null;
  /** Pixels of the source as displayed; null when unknown. */
  width: number | null;
  height: number | null;
  durationSeconds: number | null;
  posterUrl: string | null;
  tagIds: readonly string[];
  /** The viewer may lose the right to it; absent when everybody may see it. */
  isRestricted?: true;
}

/** The fields that picks and lists share. */
export type AnsweredVideo = Pick<
  PickedVideo & Video,
  Exclude<keyof PickedVideo & keyof Video, 'available' | 'message' | 'size'>
>;

export function toPlayableVideo(video: AnsweredVideo, rendition: Rendition): PlayableVideo {
  const { id, path, url, renditions, storyboard, width, height } = video;
  // Lists that an earlier version stored on the device have no titles.
  const title = video.title ?? video.filename;
  return {
    ...{ id, path, title, url, rendition, renditions, storyboard, width, height },
    durationSeconds: video.duration,
    posterUrl: video.poster_url,
    tagIds: video.tags.map((tag) => tag.id),
    ...(video.restricted && { isRestricted: true }),
  };
}

/** The media needs of the rendition that plays; 0 for what every device plays. */
export function needsOfPlayed({ rendition, renditions }: PlayableVideo): NeedBits {
  return renditions.find(({ name }) => name === rendition)?.needs ?? 0;
}

/** The rendition that a URL of a list refers to. */
export function renditionOf(url: string): Rendition {
  const [, name] = /[?&]rendition=(grid|hd)/.exec(url) ?? [];
  return (name as Rendition | undefined) ?? 'source';
}

/** Returns the fields that a choice replaces in an element's own demand. */
export function chosenDemand(choice: QualityChoice): Partial<PictureDemand> {
  if (choice === 'light') return { savesData: true };
  return choice === 'best' ? { width: null, height: limits.elementWidthMaxPx, kbps: null } : {};
}
