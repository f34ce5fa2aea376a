import type { FileHandle } from 'node:fs/promises';
import type { FileWindow } from '#contract/rules/file-windows.ts';
import { isVersion, openForReading, openInside } from '../../storage/open-for-reading.ts';
import type { SharedFiles } from '../../storage/shared-files.ts';
import type { LocalFile, OpenedFile, Storage } from '../../storage/storage.ts';
import type { LibraryVideo, PathResolver } from './video.ts';

interface SourceFilesDeps {
  places: Pick<PathResolver, 'fileOf' | 'isUpload'>;
  files: Pick<SharedFiles, 'open'>;
  /** The store of uploaded videos; null while they lie on this machine. */
  uploadedVideos: Pick<Storage, 'open' | 'local' | 'isLocal' | 'localStart' | 'addressOf'> | null;
  /** The address of that store for people, with a slash at its end. */
  uploadedPlace: string;
}

/** The file of a video, opened for a program or a thread. */
export interface ScannedFile extends AsyncDisposable {
  handle: FileHandle;
}

/** The files of videos as they were given: in the library's folders, or in the store of uploads. */
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
    const { places, files, uploadedVideos } = this.deps;
    // The file of a name in the store is never written again, and its copies have other times.
    if (uploadedVideos !== null && places.isUpload(video))
      return uploadedVideos.open(video.path, { size: video.size, modifiedUs: null }, window);
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
    return places.fileOf(video)?.file.toString() ?? null;
  }

  /** Whether a program can read a file without a copy being fetched for it. */
  isLocal(video: LibraryVideo): boolean {
    const { places, uploadedVideos } = this.deps;
    return uploadedVideos?.isLocal === undefined || !places.isUpload(video) || uploadedVideos.isLocal(video.path);
  }

  /** Opens a file of this machine with the bytes of the scanned version; null otherwise. */
  async openScanned(video: LibraryVideo, signal: AbortSignal): Promise<ScannedFile | null> {
    const { places, uploadedVideos } = this.deps;
    if (uploadedVideos !== null && places.isUpload(video))
      return openCopy(await uploadedVideos.local(video.path, signal), video);
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
    const { places, uploadedVideos } = this.deps;
    if (uploadedVideos?.localStart === undefined || !places.isUpload(video)) return null;
    return openCopy(await uploadedVideos.localStart(video.path, { size: video.size, bytes }, signal), video);
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
