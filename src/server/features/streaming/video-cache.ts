import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { TagSelection } from '../../id-sets/picking/tag-selection.ts';
import type { StoredEncoding } from '../videos/encodings/encoding-repository.ts';
import { findEncodings } from '../videos/encodings/encoding-repository.ts';
import type { PathResolver } from '../videos/path-resolver.ts';
import type { Video } from '../videos/video.ts';
import type { MediaFile, MediaPlaces } from './media-file.ts';
import { listMediaFiles } from './media-file.ts';

/** A video that some device plays, with all its files. */
export interface StreamedVideo {
  video: Video;
  encodings: readonly StoredEncoding[];
  /** The same objects for as long as the row is kept. */
  files: readonly MediaFile[];
}

interface VideoCacheDeps extends MediaPlaces {
  places: PathResolver;
  database: Pick<Database, 'reader'>;
  idSets: Pick<IdSets, 'matches'>;
  clock: Clock;
}

const freshForMs = 2_000;
const maxVideos = 1_000;

const everything: TagSelection = { tags: [], mode: 'OR', blocked: [] };

/** Rows that were just looked up: a player asks for one range of a video after the other. */
export class VideoCache {
  private readonly deps: VideoCacheDeps;
  /** The first that was looked up first. */
  private readonly known = new Map<string, { streamed: StreamedVideo; readAt: number }>();

  constructor(deps: VideoCacheDeps) {
    this.deps = deps;
  }

  /**
   * As of at most two seconds ago, and available by the sets of this moment; that its files are still there is not for
   * the row to say. Null for what is no video or cannot be played.
   */
  async find(path: string): Promise<StreamedVideo | null> {
    const { clock, idSets } = this.deps;
    const entry = this.known.get(path);
    const isFresh = entry !== undefined && clock.elapsed() - entry.readAt < freshForMs;
    return isFresh && idSets.matches(everything, entry.streamed.video.number) ? entry.streamed : this.findAgain(path);
  }

  /** As of now. */
  async findAgain(path: string): Promise<StreamedVideo | null> {
    const readAt = this.deps.clock.elapsed();
    const streamed = await this.read(path);
    this.known.delete(path);
    // What cannot be played is not worth remembering: there is no end to what does not exist, and the rest may be
    // playable in a moment.
    if (streamed !== null) this.known.set(path, { streamed, readAt });
    const [oldest] = this.known.size > maxVideos ? this.known.keys() : [];
    if (oldest !== undefined) this.known.delete(oldest);
    return streamed;
  }

  private async read(path: string): Promise<StreamedVideo | null> {
    const video = await this.deps.places.find(path);
    if (video?.isAvailable !== true) return null;
    const encodings = await findEncodings(this.deps.database.reader, video);
    return { video, encodings, files: listMediaFiles(this.deps, video, encodings) };
  }
}
