import { limits } from '#contract/limits.ts';
import type { DeviceDatabase } from '../device-database.ts';
import { deviceDatabase } from '../device-database.ts';
import { newRandomId } from '../random-id.ts';
import type { SavedVideo } from './saved-video.ts';

type Owner = Pick<SavedVideo, 'id' | 'size' | 'type'>;

/** The pieces of saved videos, in one of the two places that a browser offers. */
interface PiecePlace {
  /** Replaces the piece. It is stored when the promise resolves. @throws when there is no room */
  write(ownerId: string, index: number, piece: Blob): Promise<void>;
  /**
   * The bytes from the start on, in order, up to the first piece that is missing or has another
   * size.
   */
  read(owner: Pick<Owner, 'id' | 'size'>): Promise<Blob[]>;
  remove(ownerId: string): Promise<void>;
  listOwners(): Promise<string[]>;
}

/**
 * The bytes of saved videos, in pieces of `savedPieceBytes`, and nothing else writes them. A blob
 * over all pieces plays by an object URL, without a worker and without reading them into memory
 * (decision 0063).
 */
export class SavedBytes {
  private readonly place: PiecePlace;
  private readonly others: readonly PiecePlace[];

  /**
   * @param place takes new pieces
   * @param others may hold whole videos from a time when the browser offered no other place
   */
  constructor(place: PiecePlace, others: readonly PiecePlace[] = []) {
    this.place = place;
    this.others = others;
  }

  /** @throws when there is no room */
  write(ownerId: string, index: number, piece: Blob): Promise<void> {
    return this.place.write(ownerId, index, piece);
  }

  /**
   * All bytes of a video; null when the browser has removed a part of them. The first byte is read,
   * because an engine may have lost bytes that still look intact.
   */
  async open(video: Owner): Promise<Blob | null> {
    const bytes = await this.join(video);
    return bytes && (await isReadable(bytes)) ? bytes : null;
  }

  /** The same without a look at the bytes: whoever plays them finds out. */
  async join(video: Owner): Promise<Blob | null> {
    for (const place of [this.place, ...this.others]) {
      const bytes = new Blob(await readFrom(place, video), { type: video.type });
      if (bytes.size > 0 && bytes.size === video.size) return bytes;
    }
    return null;
  }

  /** The bytes of the whole pieces from the start on, without a gap, to which more can be added. */
  async measure(video: Owner): Promise<number> {
    return new Blob(await readFrom(this.place, video)).size;
  }

  async remove(ownerId: string): Promise<void> {
    await this.place.remove(ownerId);
    // The sweep of a later start removes what is left.
    for (const other of this.others) await other.remove(ownerId).catch(() => {});
  }

  /** The ids of all videos that have bytes here. */
  async listOwners(): Promise<string[]> {
    const owners = new Set(await this.place.listOwners());
    for (const other of this.others) {
      const ids = await other.listOwners().catch(() => []);
      for (const id of ids) owners.add(id);
    }
    return [...owners];
  }
}

function readFrom(place: PiecePlace, video: Owner): Promise<Blob[]> {
  return place.read(video).catch(() => []);
}

function pieceSize(size: number, index: number): number {
  return Math.min(limits.savedPieceBytes, size - index * limits.savedPieceBytes);
}

async function isReadable(bytes: Blob): Promise<boolean> {
  const first = await new Response(bytes.slice(0, 1)).arrayBuffer().catch(() => null);
  return first?.byteLength === 1;
}

/** Pieces as records of the database, for engines that cannot write private files. */
export class PieceRecords implements PiecePlace {
  private readonly database: DeviceDatabase;

  constructor(database: DeviceDatabase) {
    this.database = database;
  }

  async write(ownerId: string, index: number, piece: Blob): Promise<void> {
    const isStored = await this.database.runStored(
      (connection) => connection.put('saved-pieces', { ownerId, index, piece }).then(() => true),
      () => false,
    );
    if (!isStored) throw new Error('This browser stores nothing for long');
  }

  /** Each piece is read by its key: WebKit ends its network process when blobs are read in bulk. */
  async read({ id, size }: Pick<Owner, 'id' | 'size'>): Promise<Blob[]> {
    const indexes = Array.from({ length: Math.ceil(size / limits.savedPieceBytes) }, (_, index) => index);
    const rows = await this.database.runStored(
      (connection) => {
        const { store } = connection.transaction('saved-pieces');
        return Promise.all(indexes.map((index) => store.get([id, index])));
      },
      () => [],
    );
    const gap = rows.findIndex((row, index) => row?.piece.size !== pieceSize(size, index));
    return rows.slice(0, gap < 0 ? rows.length : gap).flatMap((row) => row?.piece ?? []);
  }

  async remove(ownerId: string): Promise<void> {
    await this.database.runStored(
      (connection) => connection.delete('saved-pieces', IDBKeyRange.bound([ownerId], [ownerId, []])),
      () => undefined,
    );
  }

  async listOwners(): Promise<string[]> {
    const keys = await this.database.runStored(
      (connection) => connection.getAllKeys('saved-pieces'),
      () => [],
    );
    return [...new Set(keys.map(([ownerId]) => ownerId))];
  }
}

/** The private file system of the origin; a folder of it is iterable in all engines that have it. */
type Folder = FileSystemDirectoryHandle & {
  keys(): AsyncIterableIterator<string>;
  entries(): AsyncIterableIterator<[name: string, handle: FileSystemHandle]>;
};

const folderName = 'saved';

/**
 * The number of pieces that become one file as soon as they are there: a browser takes about 0.15 ms
 * for each file that it opens, and a film has 500 pieces.
 */
const joinedPieces = 16;
const joinedBytes = joinedPieces * limits.savedPieceBytes;

/** The file of the pieces from this one on. */
const joinedName = (first: number) => `${first}-${first + joinedPieces - 1}`;

/** Pieces as files of the origin's private file system, one folder for each video. */
export class PieceFiles implements PiecePlace {
  private readonly root: () => Promise<FileSystemDirectoryHandle>;

  constructor(root: () => Promise<FileSystemDirectoryHandle>) {
    this.root = root;
  }

  async write(ownerId: string, index: number, piece: Blob): Promise<void> {
    const folder = await (await this.folder()).getDirectoryHandle(ownerId, { create: true });
    await writeFile(folder, String(index), [piece]);
    // The pieces stay as they are where there is no room for a copy.
    if ((index + 1) % joinedPieces === 0) await joinPieces(folder, index + 1 - joinedPieces).catch(() => {});
  }

  async read({ id, size }: Pick<Owner, 'id' | 'size'>): Promise<Blob[]> {
    const folder = (await (await this.folder()).getDirectoryHandle(id)) as Folder;
    const reading: Promise<[name: string, file: File | undefined]>[] = [];
    // Handles come many at a time here; each one that is asked for by its name takes a round of its
    // own.
    for await (const [name, handle] of folder.entries())
      reading.push(readFile(handle as FileSystemFileHandle).then((file) => [name, file]));
    const files = new Map(await Promise.all(reading));
    const found: Blob[] = [];
    for (let at = 0; at < size; ) {
      const index = at / limits.savedPieceBytes;
      const joined = files.get(joinedName(index));
      const isJoined = joined?.size === joinedBytes && at + joinedBytes <= size;
      const next = isJoined ? joined : files.get(String(index));
      if (!next || (!isJoined && next.size !== pieceSize(size, index))) break;
      found.push(next);
      at += next.size;
    }
    return found;
  }

  async remove(ownerId: string): Promise<void> {
    await (await this.folder()).removeEntry(ownerId, { recursive: true }).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
  }

  async listOwners(): Promise<string[]> {
    const names: string[] = [];
    for await (const name of (await this.folder()).keys()) names.push(name);
    return names;
  }

  private async folder(): Promise<Folder> {
    return (await (await this.root()).getDirectoryHandle(folderName, { create: true })) as Folder;
  }
}

/** The file holds the bytes only once it is closed: a crash leaves it as it was. */
async function writeFile(folder: FileSystemDirectoryHandle, name: string, parts: readonly Blob[]): Promise<void> {
  const file = await folder.getFileHandle(name, { create: true });
  const writable = await file.createWritable();
  try {
    for (const part of parts) await writable.write(part);
  } catch (error) {
    await writable.abort().catch(() => {});
    throw error;
  }
  await writable.close();
}

/** A crash in between leaves both; then the joined file is read. */
async function joinPieces(folder: FileSystemDirectoryHandle, first: number): Promise<void> {
  const names = Array.from({ length: joinedPieces }, (_, at) => String(first + at));
  const pieces = await Promise.all(names.map(async (name) => (await folder.getFileHandle(name)).getFile()));
  if (pieces.some(({ size }) => size !== limits.savedPieceBytes)) return;
  await writeFile(folder, joinedName(first), pieces);
  for (const name of names) await folder.removeEntry(name);
}

async function readFile(handle: FileSystemFileHandle): Promise<File | undefined> {
  try {
    return await handle.getFile();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'NotFoundError';
}

const triedBytes = 1_024;

/**
 * The first place of this browser that takes a piece and gives it back; null where none does, as in
 * some private windows.
 */
export async function findPlace(places: readonly PiecePlace[]): Promise<SavedBytes | null> {
  // Each is tried twice: a tab that starts removes bytes without a row, those of a trial among them.
  for (const place of places.flatMap((one) => [one, one])) {
    const bytes = new SavedBytes(place);
    const id = newRandomId();
    try {
      await bytes.write(id, 0, new Blob([new Uint8Array(triedBytes)]));
      if (await bytes.open({ id, size: triedBytes, type: '' })) {
        const others = places.filter((other) => other !== place);
        return new SavedBytes(place, others);
      }
    } catch {
      // The next place is tried.
    } finally {
      await bytes.remove(id).catch(() => {});
    }
  }
  return null;
}

/**
 * The bytes of a whole video, wherever they lie; null when a part of them is gone. Playing needs no
 * trial of the places and no look at the bytes, which a start would wait for.
 */
export async function openStored(video: Owner): Promise<Blob | null> {
  const [first, ...others] = placesOfBrowser();
  return new SavedBytes(first, others).join(video);
}

let found: Promise<SavedBytes | null> | null = null;

/**
 * The bytes of this browser's saved videos; null where videos cannot be saved.
 * @param isAnew tries the places again, though an earlier trial has not been answered yet
 */
export function openSavedBytes(isAnew = false): Promise<SavedBytes | null> {
  if (isAnew) found = null;
  found ??= findPlace(placesOfBrowser());
  return found;
}

function placesOfBrowser(): [PiecePlace, ...PiecePlace[]] {
  const records = new PieceRecords(deviceDatabase);
  const { storage } = navigator as { storage?: StorageManager };
  const canWrite =
    typeof FileSystemFileHandle === 'function' && 'createWritable' in FileSystemFileHandle.prototype && storage;
  return canWrite ? [new PieceFiles(() => storage.getDirectory()), records] : [records];
}
