import { ourNameOf } from './described-video.ts';
import type { StreamLines } from './stream-lines.ts';

/** A track of sound, as ffmpeg describes it. */
export interface DescribedAudioTrack {
  index: number;
  codec: string;
  profile: string | null;
  /** Null: not said. */
  channels: number | null;
  language: string | null;
  isDefault: boolean;
}

export interface DescribedSubtitles {
  index: number;
  codec: string;
  /** Text, or pictures of it; null for what ffmpeg cannot read. */
  form: 'text' | 'pictures' | null;
  language: string | null;
  title: string | null;
  isDefault: boolean;
  isForced: boolean;
}

export function readAudioTrack({ index, codec, facts, language }: StreamLines): DescribedAudioTrack {
  return {
    index,
    codec: ourNameOf(codec),
    profile: /^ \(([^()/]+)\)/.exec(facts)?.[1] ?? null,
    channels: readChannels(/, \d+ Hz, ([^,]+)/.exec(facts)?.[1] ?? ''),
    language,
    isDefault: facts.includes('(default)'),
  };
}

/** `mono`, `stereo`, `5.1(side)`, `6 channels`. */
function readChannels(layout: string): number | null {
  if (layout.startsWith('mono')) return 1;
  if (layout.startsWith('stereo')) return 2;
  const [, counted, main, more] = /^(\d+) channels|^(\d+)\.(\d)/.exec(layout) ?? [];
  if (counted !== undefined) return Number(counted);
  return main === undefined ? null : Number(main) + Number(more);
}

const textCodecs = new Set(['subrip', 'ass', 'ssa', 'mov_text', 'webvtt', 'text', 'microdvd', 'subviewer', 'stl']);
const pictureCodecs = new Set(['hdmv_pgs_subtitle', 'dvd_subtitle', 'dvb_subtitle', 'xsub']);

export function readSubtitles({ index, codec, facts, language, title }: StreamLines): DescribedSubtitles {
  return {
    index,
    codec,
    form: textCodecs.has(codec) ? 'text' : pictureCodecs.has(codec) ? 'pictures' : null,
    language,
    title,
    isDefault: facts.includes('(default)'),
    isForced: facts.includes('(forced)'),
  };
}
