import type { Description } from '../ffmpeg/ffmpeg-description.ts';
import type { EncodePlan } from './ladder.ts';

/** What ffmpeg found and did, worth telling. */
export type MediaNote =
  | { kind: 'hdr-converted-plainly' }
  | { kind: 'picture-subtitles' | 'audio'; language: string | null };

/** Tracks that cannot be chosen are named, not dropped silently. */
export function listNotes(
  { subtitles, audioTracks }: Description,
  { videoTrack, audioTrack, pictures }: EncodePlan,
  mapsTones: boolean,
): MediaNote[] {
  const isPlain = videoTrack.isHdr && pictures.length > 0 && !mapsTones;
  return [
    ...(isPlain ? [{ kind: 'hdr-converted-plainly' } as const] : []),
    ...subtitles
      .filter(({ form }) => form !== 'text')
      .map(({ language }) => ({ kind: 'picture-subtitles' as const, language })),
    ...audioTracks
      .filter(({ index }) => index !== audioTrack?.index)
      .map(({ language }) => ({ kind: 'audio' as const, language })),
  ];
}
