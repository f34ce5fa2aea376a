import type { FileWindow } from '#contract/rules/file-windows.ts';
import type { Env } from '../../env.ts';
import { EnvRefused } from '../../env.ts';
import type { RemoteCopies } from '../remote-copies.ts';
import type { RemoteReader } from '../remote-file.ts';
import { RemoteFile } from '../remote-file.ts';
import type { LocalFile, OpenedFile } from '../storage.ts';
import { describeS3, readS3Address } from './s3-address.ts';
import type { S3Object } from './s3-client.ts';
import { S3Client } from './s3-client.ts';
import type { StoreFacts } from './store-calls.ts';
import { isChanged } from './store-calls.ts';

/** One version of an object, as a scan has found it. */
export interface ScannedObject {
  /** The key below the place of the library. */
  path: string;
  size: number;
  /** Differs between any two versions, see `scan/store-root.ts`. */
  modifiedUs: number;
  etag: string;
}

/** A place in a store whose videos are served. Nothing is ever written there. */
export class LibraryStore {
  /** Its address for people, without the key and with a slash at its end. */
  readonly place: string;
  private readonly client: S3Client;

  /** @throws EnvRefused for an address that is none */
  constructor({ url, secret }: Env['libraryStores'][number]) {
    const address = readAddress(url, secret);
    this.place = describeS3(address);
    this.client = new S3Client(address);
  }

  facts(): StoreFacts {
    return this.client.facts;
  }

  /** Every object whose path begins with a text, in the order of the store. */
  list(prefix = ''): AsyncIterable<S3Object> {
    return this.client.list(prefix);
  }

  /**
   * Reads a part of an object for a scan.
   * @throws RangeError for an object that is gone or changed; what the store throws
   */
  async read({ path, etag }: Pick<ScannedObject, 'path' | 'etag'>, window: FileWindow): Promise<Uint8Array> {
    const asked = this.client.get(path, window, undefined, { etag, isWork: true });
    const found = await orNull(asked);
    const chunks: Uint8Array[] = [];
    for await (const chunk of found?.bytes ?? []) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    if (bytes.length === window.end - window.start + 1) return bytes;
    throw new RangeError('The file is gone, or has changed.');
  }

  /** Opens an object for an answer. @param window see `Storage.open` */
  async open(copies: RemoteCopies, object: ScannedObject, window: FileWindow | null): Promise<OpenedFile> {
    const { size, modifiedUs } = object;
    const copy = await copies.open(this.place + object.path, { size, modifiedUs });
    if (copy !== null) return copy;
    try {
      return await RemoteFile.open(this.readerOf(object), object.path, { size, modifiedUs: null }, window);
    } catch (error) {
      if (isChanged(error)) return { kind: 'changed' };
      throw error;
    }
  }

  /** A copy on this machine, held until it is closed; null if the object is gone or changed. */
  local(copies: RemoteCopies, object: ScannedObject, signal: AbortSignal): Promise<LocalFile | null> {
    return copies.hold(this.readerOf(object), this.place + object.path, signal);
  }

  /** Whether a copy is on this machine already. */
  isLocal(copies: RemoteCopies, { path }: ScannedObject): boolean {
    return copies.has(this.place + path);
  }

  /** See `Storage.localStart`. Null also for an object that has changed. */
  localStart(
    copies: RemoteCopies,
    object: ScannedObject,
    start: { size: number; bytes: number },
    signal: AbortSignal,
  ): Promise<LocalFile | null> {
    return orNull(copies.holdStart(this.readerOf(object), this.place + object.path, start, signal));
  }

  /** Reads this version of the object alone. */
  private readerOf({ path, modifiedUs, etag }: ScannedObject): RemoteReader {
    const { client } = this;
    return {
      async head() {
        const found = await orNull(client.head(path, etag));
        return found === null ? null : { bytes: found.bytes, modifiedUs };
      },
      get: (_name, window, signal) => client.get(path, window, signal, { etag }),
    };
  }
}

/** Null also for an object that has changed. */
async function orNull<T>(asked: Promise<T | null>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (isChanged(error)) return null;
    throw error;
  }
}

function readAddress(url: string, secret: string) {
  if (secret === '') throw new EnvRefused(['LIBRARY_SECRET has to be set with LIBRARY_URLS']);
  try {
    return readS3Address(url, secret, 'LIBRARY_SECRET');
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new EnvRefused([`LIBRARY_URLS ${error.message}`]);
  }
}

/**
 * The stores of `LIBRARY_URLS`, by their places.
 * @throws EnvRefused for an address that is none, and for the place of the server's own files
 */
export function openLibraryStores(
  libraries: Env['libraryStores'],
  ownPlace: string | null = null,
): ReadonlyMap<string, LibraryStore> {
  const stores = libraries.map((library) => new LibraryStore(library));
  const mixed = stores.find(({ place }) => ownPlace?.startsWith(place) === true || place.startsWith(ownPlace ?? '-'));
  if (mixed !== undefined)
    throw new EnvRefused([`LIBRARY_URLS names the place of the server's own files: ${mixed.place}`]);
  return new Map(stores.map((store) => [store.place, store]));
}
