import { createHash } from 'node:crypto';
import { limits } from '#contract/limits.ts';
import type { Clock } from '../../clock.ts';
import type { LibraryStore } from '../../storage/stores/library-store.ts';
import { isUsableKey } from '../../storage/stores/s3-address.ts';
import { isStoreFault } from '../../storage/stores/store-calls.ts';
import type { FileBeside } from './subtitle-files.ts';
import { byLabel, nameOfTrack, rules, stemOf } from './subtitle-files.ts';

/** A list is kept this long: each one costs a call to the store. */
const keptMs = 60_000;
const keptVideos = 1_000;
/** The objects that are looked at among those whose names begin like that of a video. */
const objectsMax = 1_000;

interface Listed {
  files: Promise<FileBeside[]>;
  until: number;
}

/** The subtitle files beside videos in stores, at most a minute old. */
export class StoreSubtitles {
  private readonly clock: Pick<Clock, 'elapsed'>;
  /** Lists by the addresses of the videos. */
  private readonly listed = new Map<string, Listed>();

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.clock = clock;
  }

  /** None while the store is away. @param path of the video, below the place of its library */
  list(store: LibraryStore, path: string): Promise<FileBeside[]> {
    const key = store.place + path;
    const now = this.clock.elapsed();
    const known = this.listed.get(key);
    if (known !== undefined && known.until > now) return known.files;
    const files = listBeside(store, path);
    this.listed.delete(key);
    this.listed.set(key, { files, until: now + keptMs });
    const [oldest] = this.listed.size > keptVideos ? this.listed.keys() : [];
    if (oldest !== undefined) this.listed.delete(oldest);
    return files;
  }
}

async function listBeside(store: LibraryStore, path: string): Promise<FileBeside[]> {
  const stem = stemOf(Buffer.from(path));
  const found: FileBeside[] = [];
  let seen = 0;
  try {
    for await (const { key, bytes, etag } of store.list(stem.toString())) {
      seen += 1;
      const track = key.includes('/', stem.length) ? null : nameOfTrack(stem, Buffer.from(key));
      if (track !== null && bytes > 0 && bytes <= limits.subtitleBytes && isUsableKey(key)) {
        const version = createHash('sha256').update(`${key}/${bytes}/${etag}/${rules}`).digest('hex').slice(0, 40);
        const read = () => readObject(store, { path: key, etag, bytes });
        found.push({ ...track, version, read });
      }
      if (seen === objectsMax || found.length === limits.subtitleTracks) break;
    }
  } catch (error) {
    if (!isStoreFault(error)) throw error;
  }
  return found.sort(byLabel);
}

/** Null for an object that is gone or changed. */
async function readObject(
  store: LibraryStore,
  { bytes, ...object }: { path: string; etag: string; bytes: number },
): Promise<Buffer | null> {
  try {
    return Buffer.from(await store.read(object, { start: 0, end: bytes - 1 }));
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
