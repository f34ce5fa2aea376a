import type { Clock } from '../../../clock.ts';
import { Refusal } from '../../../http/pipeline/errors.ts';
import { isDiskFull } from '../../../storage/disk-space.ts';
import type { UploadFile } from '../upload-file.ts';
import type { PartFile, UploadStorage } from '../upload-storage.ts';
import type { UploadLock, UploadLocks } from './upload-locks.ts';
import type { BodyWriterDeps } from './upload-part.ts';
import { BodyWriter, tooMuch } from './upload-part.ts';
import type { Checksum, RequestBody } from './upload-request.ts';
import { RaisedWindows } from './upload-request.ts';
import type { BodyPlace, DiskReserve, DiskRoom } from './upload-room.ts';
import { BodyPlaces } from './upload-room.ts';

/** The most bytes under one checksum, which are accepted as a whole. */
const checkedBytes = 64 * 1024 * 1024;

interface Opened {
  file: UploadFile;
  part: PartFile;
  lock: UploadLock;
}

/** A file that is opened for a body. */
interface Receiving extends Opened {
  room: DiskRoom;
  place: BodyPlace;
}

/**
 * Writes the bytes of uploads. Bytes that it reports as received survive a power cut.
 */
export class UploadReceiver {
  private readonly clock: Clock;
  private readonly locks: UploadLocks;
  private readonly storage: UploadStorage;
  private readonly reserve: DiskReserve;
  readonly places: BodyPlaces;
  private readonly windows = new RaisedWindows();
  private written = 0;

  constructor(clock: Clock, locks: UploadLocks, storage: UploadStorage, reserve: DiskReserve) {
    this.clock = clock;
    this.locks = locks;
    this.storage = storage;
    this.reserve = reserve;
    this.places = new BodyPlaces(clock, storage.bodiesMax);
  }

  /** Bytes written since the process started. */
  get receivedBytes(): number {
    return this.written;
  }

  /**
   * The number of bytes received. Ends a request that is still sending; without one, nothing is
   * written to find it out.
   */
  async readOffset(file: UploadFile): Promise<number> {
    if (file.state === 'completed') return file.size;
    return (await this.findSettled(file)) ?? this.withPart(file, async ({ part }) => part.size);
  }

  /**
   * The number of bytes of a file that no request works on, if all of them are certain to stay;
   * null otherwise.
   */
  private async findSettled(file: UploadFile): Promise<number | null> {
    const found = await this.locks.findUnlocked(file);
    return found?.state === 'receiving' ? this.storage.findSettled(file, found) : null;
  }

  /**
   * Appends a body.
   * @returns the offset after it
   * @throws Refusal 409 for another offset, 413, 460 when the checksum differs, 507
   */
  async append(
    file: UploadFile,
    { offset, checksum, body }: { offset: number; checksum: Checksum | null; body: RequestBody },
  ): Promise<number> {
    if (offset > file.size) throw new Refusal('conflict', { message: 'This is beyond the end of the file.' });
    const left = file.size - offset;
    if ((body.length ?? 0) > left) throw tooMuch();
    if (checksum !== null && (body.length ?? 0) > checkedBytes) throw tooMuchAtOnce();
    if (file.state === 'completed' || (body.length === 0 && checksum === null))
      return this.appendNothing(file, offset, body);
    const most = body.length ?? (checksum === null ? left : Math.min(left, checkedBytes));
    return this.receive(file, { body, most }, async (opened) => {
      if (opened.part.size !== offset)
        throw new Refusal('conflict', { message: `The upload goes on at ${opened.part.size}.` });
      await (checksum === null
        ? this.writeBody(opened, body, {
            maxSize: file.size,
            confirmEveryBytes: this.storage.confirmEveryBytes,
            free: body.free,
          })
        : this.writeChecked(opened, body, checksum));
    });
  }

  private async appendNothing(file: UploadFile, offset: number, body: RequestBody): Promise<number> {
    const reached = await this.readOffset(file);
    if (reached !== offset) throw new Refusal('conflict', { message: `The upload goes on at ${reached}.` });
    if (body.length !== 0) throw tooMuch();
    return reached;
  }

  /**
   * Replaces everything received so far by a whole file.
   * @throws Refusal 400 when it ends early, 413, 507
   */
  async replace(file: UploadFile, body: RequestBody): Promise<void> {
    if (file.state === 'completed') throw new Refusal('conflict', { message: 'This file has become a video.' });
    if ((body.length ?? 0) > file.size) throw tooMuch();
    if (body.length !== null && body.length < file.size) throw notWhole();
    await this.receive(file, { body, most: file.size }, async (opened) => {
      await opened.part.empty();
      const { confirmEveryBytes } = this.storage;
      await this.writeBody(opened, body, { maxSize: file.size, confirmEveryBytes, free: body.free });
      if (opened.part.size !== file.size) throw notWhole();
    });
  }

  /**
   * Removes the bytes of a file before its end is stored, for a disk that has no room for that row.
   * A failure is ignored: the bytes are removed again after the end.
   */
  async freeRoom(file: UploadFile): Promise<void> {
    this.locks.end(file);
    await this.storage.removePart(file).catch(() => {});
  }

  /** Ends a request that is still sending, and removes the received bytes. */
  async discard(file: UploadFile): Promise<void> {
    const { locks, storage } = this;
    if (await this.hasNothing(file)) return;
    const lock = await locks.take(file, false);
    try {
      await storage.remove(file);
    } finally {
      await lock.release();
    }
  }

  /**
   * True when no byte has arrived and no request works on the file, as for most files of a large
   * cancelled session.
   */
  private async hasNothing(file: UploadFile): Promise<boolean> {
    return (await this.locks.findUnlocked(file)) !== null && this.storage.hasNothing(file);
  }

  /** @param most the most bytes that the body may have */
  private async receive(
    file: UploadFile,
    { body, most }: { body: RequestBody; most: number },
    work: (opened: Receiving) => Promise<void>,
  ): Promise<number> {
    const person = file.userId ?? file.sessionId;
    const place = this.places.take({ person, address: body.from, refuse: body.refuse });
    try {
      using room = await this.reserve.open(most);
      return await this.withPart(file, async (opened) => {
        const end = () => body.cut();
        opened.lock.signal.addEventListener('abort', end);
        try {
          await work({ ...opened, room, place });
          return opened.part.size;
        } finally {
          opened.lock.signal.removeEventListener('abort', end);
        }
      });
    } finally {
      place.release();
    }
  }

  private async withPart<T>(file: UploadFile, work: (opened: Opened) => Promise<T>): Promise<T> {
    const lock = await this.locks.take(file, true);
    try {
      // The file may have ended while this request waited.
      if (lock.found.state !== 'receiving') throw new Refusal('gone');
      const part = await this.storage.openPart(file, lock);
      try {
        return await work({ file, part, lock });
      } finally {
        await part.close();
      }
    } catch (error) {
      throw isDiskFull(error) ? new Refusal('out_of_space') : error;
    } finally {
      await lock.release();
    }
  }

  private async writeBody(
    receiving: Receiving,
    body: RequestBody,
    bounds: Pick<BodyWriterDeps, 'maxSize' | 'confirmEveryBytes' | 'free'>,
  ): Promise<void> {
    const { part, lock } = receiving;
    const writer = this.openWriter(receiving, bounds);
    try {
      await this.write(receiving, writer, body);
    } catch (error) {
      await part.breakOff();
      // The next request can do without the stored progress.
      await lock.finish({ received: part.size }).catch(() => {});
      throw error;
    }
    await part.sync();
    await lock.finish({ received: part.size, durable: part.size });
  }

  /** Writes the whole body or nothing. */
  private async writeChecked(receiving: Receiving, body: RequestBody, checksum: Checksum): Promise<void> {
    const { file, part, lock } = receiving;
    const before = part.size;
    const maxSize = Math.min(file.size, before + checkedBytes);
    const bounds = { maxSize, confirmEveryBytes: Number.POSITIVE_INFINITY, free: body.free };
    const writer = this.openWriter(receiving, bounds);
    await part.beginChecked();
    try {
      await this.write(receiving, writer, body, (chunk) => checksum.add(chunk));
      if (!checksum.matches()) throw new Refusal('checksum_mismatch');
      await part.sync();
    } catch (error) {
      await part.takeBack();
      await lock.finish({ received: before }).catch(() => {});
      throw error;
    }
    await lock.finish({ received: part.size, durable: part.size, suspect: 0 });
  }

  private async write(
    { file }: Receiving,
    writer: BodyWriter,
    body: RequestBody,
    onChunk?: (chunk: Uint8Array) => void,
  ): Promise<void> {
    let onEnd = () => {};
    const onFirst = () => {
      onEnd = this.windows.raise(body.session, file.userId ?? file.sessionId);
    };
    try {
      await writer.write(body.chunks(onFirst), onChunk);
    } finally {
      onEnd();
    }
  }

  private openWriter(
    { part, lock, room, place }: Receiving,
    bounds: Pick<BodyWriterDeps, 'maxSize' | 'confirmEveryBytes' | 'free'>,
  ): BodyWriter {
    const speed = new TransferSpeed(this.clock);
    lock.reportWith(() => ({ received: part.size, speed: speed.measure(part.size) }));
    return new BodyWriter({
      part,
      lock,
      room,
      place,
      onWritten: (bytes) => {
        this.written += bytes;
        lock.countBytes(bytes);
      },
      ...bounds,
    });
  }
}

function tooMuchAtOnce(): Refusal {
  return new Refusal('too_large', { message: 'At most 64 MiB can have one checksum.' });
}

function notWhole(): Refusal {
  return new Refusal('bad_request', { message: 'This is less than the size that was declared.' });
}

const windowMs = 5_000;

/** Measures bytes a second over the last seconds. */
class TransferSpeed {
  private readonly clock: Clock;
  private readonly samples: { at: number; bytes: number }[] = [];

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** @param bytes the bytes of the file so far */
  measure(bytes: number): number {
    const now = this.clock.elapsed();
    this.samples.push({ at: now, bytes });
    while (this.samples.length > 2 && now - (this.samples[0]?.at ?? now) > windowMs) this.samples.shift();
    const first = this.samples[0] ?? { at: now, bytes };
    return now === first.at ? 0 : Math.max(0, Math.round(((bytes - first.bytes) / (now - first.at)) * 1_000));
  }
}
