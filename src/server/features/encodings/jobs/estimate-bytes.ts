import { limits } from '#contract/limits.ts';
import type { EncodableVideo } from '../encodable-repository.ts';
import type { EncodeReason } from './renditions-to-make.ts';

const kbpsOf = { grid: limits.gridKbps, hd: limits.hdKbps } as const;
/** Sound, the index, and pictures that are harder than most. */
const margin = 1.2;
/** A sheet of stills, and subtitles. */
const extraBytes = 1_500_000;
/** Of these the picture may be copied into another container. */
const copied: readonly (string | null)[] = ['mp4', 'mov', 'matroska', 'flv', 'mpeg-ts'];

type Source = Pick<EncodableVideo, 'size' | 'durationMs' | 'container' | 'videoCodec'>;

/** Bytes that an encoding will take, rather too many than too few. */
export function estimateBytes(source: Source, renditions: readonly ('grid' | 'hd')[], reason: EncodeReason): number {
  const encoded = renditions.reduce((sum, rendition) => sum + estimateRendition(source, rendition), 0);
  return encoded + extraBytes + (reason !== 'popular' && mayBeCopied(source) ? source.size : 0);
}

/** Of unknown length it takes as much as the source. */
export function estimateRendition({ size, durationMs }: Source, rendition: 'grid' | 'hd'): number {
  return durationMs === null ? size : Math.round((kbpsOf[rendition] * durationMs * margin) / 8);
}

function mayBeCopied({ container, videoCodec }: Source): boolean {
  return copied.includes(container) && (videoCodec === 'avc' || videoCodec === null);
}
