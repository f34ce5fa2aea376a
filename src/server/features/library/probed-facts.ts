import type { Insertable } from 'kysely';
import type { VideosTable } from '../../database/tables/library-tables.ts';
import type { Probe } from '../../media/probe/probe.ts';
import { headerVersion } from '../../media/probe/probe.ts';

type ProbedColumn =
  | 'container'
  | 'video_codec'
  | 'audio_codec'
  | 'bit_depth'
  | 'chroma'
  | 'needs'
  | 'header_version'
  | 'duration_ms'
  | 'width'
  | 'height';

/** What a row says of the headers of its file. */
export function toProbedFacts(probe: Probe): Pick<Insertable<VideosTable>, ProbedColumn> & { reason: string | null } {
  return {
    container: probe.container,
    video_codec: probe.videoCodec,
    audio_codec: probe.audioCodec,
    bit_depth: probe.bitDepth,
    chroma: probe.chroma,
    needs: probe.needs,
    header_version: headerVersion,
    duration_ms: probe.durationMs,
    width: probe.width,
    height: probe.height,
    reason: probe.reason,
  };
}
