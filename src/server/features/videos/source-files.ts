import type { FileHandle } from 'node:fs/promises';
import type { FileWindow } from '#contract/rules/file-windows.ts';
import { isVersion, openForReading, openInside } from '../../storage/open-for-reading.ts';
import type { RemoteCopies } from '../../storage/remote-copies.ts';
import type { SharedFiles } from '../../storage/shared-files.ts';
import type { LocalFile, OpenedFile, Storage } from '../../storage/storage.ts';
import type { LibraryStore, ScannedObject } from '../../storage/stores/library-store.ts';
import type { LibraryVideo, PathResolver } from './video.ts';

interface SourceFilesDeps {
  places: Pick<PathResolver, 'fileOf' | 'storeOf' | 'isUpload'>;
  files: Pick<SharedFiles, 'open'>;
  /** The store of uploaded videos; null while they lie on this machine. */
  uploadedVideos: Pick<Storage, 'open' | 'local' | 'isLocal' | 'localStart' | 'addressOf'> | null;
  /** The address of that store for people, with a slash at its end. */
  uploadedPlace: string;
  /** The stores of libraries, by their places. */
  libraryStores: ReadonlyMap<string, LibraryStore>;
  copies: RemoteCopies;
}

/** The file of a video, opened for a program or a thread. */
export interface ScannedFile extends AsyncDisposable {
  handle: FileHandle;
}

/** The files of videos as they were given: in folders, or in the stores of libraries and uploads. */
export class SourceFiles {
  private readonly deps: SourceFilesDeps;

  constructor(deps: SourceFilesDeps) {
    this.deps = deps;
  }

  /**
   * Opens a file for an answer, if it is the scanned version.
   * @param window the bytes that are going to be sent; null for none
   */
  async open(video: LibraryVideo, window: FileWindow | null): Promise<OpenedFile> {
    const { places, files, uploadedVideos, copies } = this.deps;
    // The file of a name in the store is never written again, and its copies have other times.
    if (uploadedVideos !== null && places.isUpload(video))
      return uploadedVideos.open(video.path, { size: video.size, modifiedUs: null }, window);
    const stored = this.findStored(video);
    if (stored !== null) return stored.store.open(copies, stored.object, window);
    const place = places.fileOf(video);
    // The root of the video may not be served.
    return place === null ? { kind: 'gone' } : files.open(video, place);
  }

  /** The address from which browsers fetch a file themselves; null if the server sends it. */
  addressOf(
    video: Pick<LibraryVideo, 'rootNumber' | 'path'>,
    query: Readonly<Record<string, string>>,
  ): Promise<string> | null {
    const { places, uploadedVideos } = this.deps;
    return (places.isUpload(video) && uploadedVideos?.addressOf?.(video.path, query)) || null;
  }

  /** The place of a file, for administrators; null when the root of the video is not served. */
  placeOf(video: LibraryVideo): string | null {
    const { places, uploadedVideos, uploadedPlace } = this.deps;
    if (uploadedVideos !== null && places.isUpload(video)) return uploadedPlace + video.path;
    const stored = places.storeOf(video);
    return stored === null ? (places.fileOf(video)?.file.toString() ?? null) : stored + video.path;
  }

  /** Whether a program can read a file without a copy being fetched for it. */
  isLocal(video: LibraryVideo): boolean {
    const { places, uploadedVideos, copies } = this.deps;
    if (places.isUpload(video)) return uploadedVideos?.isLocal?.(video.path) ?? true;
    const stored = this.findStored(video);
    return stored === null || stored.store.isLocal(copies, stored.object);
  }

  /** Opens a file of this machine with the bytes of the scanned version; null otherwise. */
  async openScanned(video: LibraryVideo, signal: AbortSignal): Promise<ScannedFile | null> {
    const { places, uploadedVideos, copies } = this.deps;
    if (uploadedVideos !== null && places.isUpload(video))
      return openCopy(await uploadedVideos.local(video.path, signal), video);
    const stored = this.findStored(video);
    if (stored !== null) return openCopy(await stored.store.local(copies, stored.object, signal), video);
    const place = places.fileOf(video);
    const handle = place === null ? null : await openInside(place.folder, place.file);
    if (handle === null) return null;
    if (isVersion(await handle.stat({ bigint: true }), video))
      return { handle, [Symbol.asyncDispose]: () => handle.close() };
    await handle.close();
    return null;
  }

  /**
   * Opens a file with the first bytes and the index of a video in a store; null where the whole file
   * is to be opened instead.
   */
  async openStart(video: LibraryVideo, bytes: number, signal: AbortSignal): Promise<ScannedFile | null> {
    const { places, uploadedVideos, copies } = this.deps;
    const start = { size: video.size, bytes };
    const stored = this.findStored(video);
    const local = places.isUpload(video)
      ? await uploadedVideos?.localStart?.(video.path, start, signal)
      : await stored?.store.localStart(copies, stored.object, start, signal);
    return openCopy(local ?? null, video);
  }

  /** Null for a video that lies elsewhere. */
  private findStored(video: LibraryVideo): { store: LibraryStore; object: ScannedObject } | null {
    const { places, libraryStores } = this.deps;
    const store = libraryStores.get(places.storeOf(video) ?? '');
    const { path, size, modifiedUs, etag } = video;
    return store === undefined || etag === null ? null : { store, object: { path, size, modifiedUs, etag } };
  }
}

async function openCopy(local: LocalFile | null, { size }: LibraryVideo): Promise<ScannedFile | null> {
  if (local === null) return null;
  const handle = await openForReading(Buffer.from(local.path));
  const file = {
    handle,
    async [Symbol.asyncDispose]() {
      await handle.close();
      await local[Symbol.asyncDispose]();
    },
  };
  if ((await handle.stat()).size === size) return file;
  await file[Symbol.asyncDispose]();
  return null;
}
