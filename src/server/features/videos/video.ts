import type { Selectable } from 'kysely';
import type { NeedBits } from '#contract/rules/media/needs.ts';
import type { VideosTable } from '../../database/tables/library-tables.ts';
import type { Container } from '../../media/containers/container-sniff.ts';

/** A file of the library, as the server thinks of it. */
export interface Video {
  number: number;
  id: string;
  rootNumber: number;
  /** Relative to its root. */
  path: string;
  filename: string;
  size: number;
  /** Epoch microseconds, by the file system. */
  modifiedUs: number;
  container: Container | null;
  durationMs: number | null;
  width: number | null;
  height: number | null;
  /** What a device must play to show the file as it came. */
  needs: NeedBits;
  /** Some device plays the file as it came. */
  isSourcePlayable: boolean;
  /** Some device plays it, as it came or by an encoding. */
  isAvailable: boolean;
  /** By an administrator: nobody else is served anything of it. */
  isHidden: boolean;
}

export function toVideo(row: Selectable<VideosTable>): Video {
  return {
    number: row.number,
    id: row.id,
    rootNumber: row.root_number,
    path: row.path,
    filename: row.filename,
    size: row.size,
    modifiedUs: row.modified_us,
    container: row.container as Container | null,
    durationMs: row.duration_ms,
    width: row.width,
    height: row.height,
    needs: row.needs,
    isSourcePlayable: row.reason === null,
    isAvailable: row.available === 1,
    isHidden: row.hidden_at !== null,
  };
}

/** Changes whenever the bytes do: part of ETags and signed addresses. */
export function versionOf(video: Pick<Video, 'number' | 'size' | 'modifiedUs'>): string {
  return [video.number, video.size, video.modifiedUs].map((part) => part.toString(36)).join('-');
}
