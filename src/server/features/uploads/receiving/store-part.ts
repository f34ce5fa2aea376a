import type { Hash } from 'node:crypto';
import { createHash } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import type { Clock } from '../../../clock.ts';
import { Refusal } from '../../../http/pipeline/errors.ts';
import type { Ids } from '../../../ids.ts';
import type { PartedStorage } from '../../../storage/storage.ts';
import { partBytes } from '../../../storage/storage.ts';
import { isPartsLost } from '../../../storage/stores/store-calls.ts';
import type { UploadFile } from '../upload-file.ts';
import { partsFolder, storedName, typeOfUpload } from '../upload-file.ts';
import type { PartFile } from '../upload-storage.ts';
import type { PartsOfFile, StoredPart, StoredTail } from './part-repository.ts';
import { partRepository } from './part-repository.ts';
import type { UploadLock } from './upload-locks.ts';

/** More tails than this become one. */
const tailsMax = 8;
/** After the sums of so many bytes, which take 0.3 ms, everything else has its turn. */
const summedTogether = 128 * 1024;

interface StorePartDeps {
  storage: PartedStorage;
  memory: PartMemory;
  ids: Pick<Ids, 'short'>;
  file: UploadFile;
  lock: UploadLock;
}

/**
 * A file that arrives in a store. A part is sent once it is whole, while the next one is collected;
 * what is less than a part when a body ends becomes an object of its own, a tail. The part is put
 * together of its tails and what comes after them. Bytes count once their row is committed by
 * the holder of the lock, after the store has them.
 */
export class StorePart implements PartFile {
  private readonly deps: StorePartDeps;
  private multipart: string | null;
  private tails: readonly StoredTail[];
  /** The bytes of the committed rows and the tails. */
  private durable: number;
  /** The parts with rows. */
  private saved: number;
  /** The parts that were sent, or are being sent. */
  private sent: number;
  private length: number;
  private filling: Filling | null = null;
  private sending: Promise<void> = Promise.resolve();
  private failure: { error: unknown } | null = null;
  /** Parts that the store has taken and whose rows are not committed. */
  private unsaved: StoredPart[] = [];
  private isChecked = false;
  /** The bytes that were added since everything else had its turn. */
  private inTurn = 0;

  constructor(deps: StorePartDeps, { multipart, tails, durable, parts }: PartsOfFile) {
    this.deps = deps;
    this.multipart = multipart;
    this.tails = tails;
    this.durable = durable;
    this.length = durable;
    this.saved = parts.length;
    this.sent = parts.length;
  }

  get size(): number {
    return this.length;
  }

  async append(chunks: readonly Uint8Array[]): Promise<void> {
    for (const chunk of chunks) {
      for (let rest = chunk; rest.length > 0; ) {
        this.throwFailure();
        if (this.filling !== null && !this.isChecked && this.deps.memory.isDue(this.filling)) await this.giveWay();
        const filling = this.filling ?? (await this.startFilling());
        const taken = filling.add(rest);
        this.length += taken;
        rest = rest.subarray(taken);
        if (filling.length === partBytes) await this.sendNext();
        await this.breatheNowAndThen(taken);
      }
    }
  }

  /** Bodies that come at the same time would otherwise add up to a long stop. */
  private async breatheNowAndThen(taken: number): Promise<void> {
    this.inTurn += taken;
    if (this.inTurn < summedTogether) return;
    this.inTurn = 0;
    await breathe();
  }

  async sync(): Promise<void> {
    await this.sending;
    this.throwFailure();
    const isWhole = this.length === this.deps.file.size;
    if (this.filling !== null && this.length > this.durable && !isWhole) return this.keepTail(this.filling);
    if (this.filling !== null && isWhole) await this.sendNext();
    await this.sending;
    this.throwFailure();
    if (this.unsaved.length > 0) await this.save([]);
  }

  /** The file goes first: with its rows gone it could pass for one that has arrived again. */
  async empty(): Promise<void> {
    const { storage, file, lock } = this.deps;
    // Another request may hold the lock by now, and have made a video of it.
    await lock.renew({});
    await storage.remove(storedName(file));
    await this.forget();
  }

  private async forget(): Promise<void> {
    const { storage, file, lock } = this.deps;
    const { multipart, tails } = this;
    await lock.renew({ durable: 0, received: 0 }, (transaction) => partRepository.forget(transaction, file.id));
    Object.assign(this, { multipart: null, tails: [], durable: 0, length: 0, saved: 0, sent: 0 });
    // A later sweep removes what cannot be removed now.
    if (multipart !== null) await storage.dropParts(storedName(file), multipart).catch(() => {});
    for (const { name } of tails) await storage.remove(name).catch(() => {});
  }

  /** Rows wait for the sum, and the tails stay until then. */
  async beginChecked(): Promise<void> {
    this.isChecked = true;
  }

  async takeBack(): Promise<void> {
    await this.close();
    this.unsaved = [];
    this.failure = null;
    this.length = this.durable;
    this.sent = this.saved;
  }

  async breakOff(): Promise<void> {
    try {
      await this.sync();
    } catch {
      await this.takeBack();
    }
  }

  async close(): Promise<void> {
    await this.sending;
    if (this.filling !== null) this.deps.memory.giveBack(this.filling.memory);
    this.filling = null;
  }

  /** The bytes so far become a tail, and this body waits behind the others. */
  private async giveWay(): Promise<void> {
    await this.sync();
    await this.close();
  }

  private throwFailure(): void {
    if (this.failure !== null) throw this.failure.error;
  }

  /** The first part of a body goes on where the tails end, which are read when it is whole. */
  private async startFilling(): Promise<Filling> {
    const { memory, lock } = this.deps;
    const { bytes, takenAt } = await memory.take(lock.signal);
    this.filling = new Filling(bytes, this.length - this.sent * partBytes, takenAt);
    return this.filling;
  }

  private async loadTails(filling: Filling): Promise<void> {
    if (filling.missing === 0) return;
    let at = 0;
    for (const { name, bytes } of this.tails) {
      const tail = await this.deps.storage.read(name);
      if (tail?.length !== bytes) await this.beginAgain();
      this.throwFailure();
      at += filling.load(tail ?? Buffer.alloc(0), at);
    }
  }

  /** One part travels at a time. */
  private async sendNext(): Promise<void> {
    const filled = this.filling;
    if (filled === null) return;
    this.filling = null;
    this.sent += 1;
    const number = this.sent;
    await this.sending;
    this.sending = this.send(number, filled);
  }

  /** Never rejects. */
  private async send(number: number, filled: Filling): Promise<void> {
    const { storage, memory, file, lock } = this.deps;
    try {
      this.throwFailure();
      const name = storedName(file);
      const multipart = this.multipart ?? (await this.begin(name));
      await this.loadTails(filled);
      const { bytes, sum, md5 } = await filled.end();
      // Another node may have joined the parts by now, and some stores take one even then.
      if (!lock.isHeld) throw new Refusal('locked');
      const etag = await storage.putPart(name, multipart, { number, bytes, md5 });
      this.unsaved.push({ number, etag, sum, bytes: bytes.length });
      if (!this.isChecked) await this.save([]);
    } catch (error) {
      this.failure ??= { error };
      if (isPartsLost(error)) await this.beginAgain();
    } finally {
      memory.giveBack(filled.memory);
    }
  }

  /** The name is committed before the first part, so that others can drop what this process leaves. */
  private async begin(name: string): Promise<string> {
    const { storage, file, lock } = this.deps;
    const multipart = await storage.beginParts(name, typeOfUpload(file.filename));
    await lock.renew({}, (transaction) => partRepository.setMultipart(transaction, file.id, multipart));
    this.multipart = multipart;
    return multipart;
  }

  /** Stores what has come since the last tail; many small ones become one. */
  private async keepTail(filling: Filling): Promise<void> {
    const { storage, file, ids } = this.deps;
    const kept = Math.max(0, this.durable - this.sent * partBytes);
    const isOneOfMany = kept > 0 && this.tails.length < tailsMax;
    if (!isOneOfMany) await this.loadTails(filling);
    // Another process that has lost the lock must not replace these bytes.
    const name = `${partsFolder}/${file.id}/${ids.short()}`;
    const bytes = filling.bytes().subarray(isOneOfMany ? kept : 0);
    await storage.put(name, inOnePiece(bytes), { bytes: bytes.length, type: 'application/octet-stream' });
    await this.save([...(isOneOfMany ? this.tails : []), { name, bytes: bytes.length }]);
  }

  /** Commits what the store has taken. */
  private async save(tails: readonly StoredTail[]): Promise<void> {
    const { storage, file, lock } = this.deps;
    const { unsaved, tails: before } = this;
    const last = unsaved.at(-1);
    const isLast = last !== undefined && last.bytes < partBytes;
    const parts = this.saved + unsaved.length;
    const inParts = isLast ? file.size : parts * partBytes;
    const durable = tails.length === 0 ? inParts : this.length;
    // If this fails, a later sweep removes the new tail.
    await lock.renew({ durable, received: durable }, (transaction) =>
      partRepository.add(transaction, file.id, unsaved, tails),
    );
    Object.assign(this, { unsaved: [], tails, durable, saved: parts });
    for (const tail of before) if (!tails.includes(tail)) void storage.remove(tail.name).catch(() => {});
  }

  /** The store has forgotten what it took, so the client has to send everything again. */
  private async beginAgain(): Promise<void> {
    this.failure = { error: new Refusal('conflict', { message: 'The upload goes on at 0.' }) };
    await this.forget().catch((error: unknown) => {
      this.failure = { error };
    });
  }
}

/** A part that is being collected. */
class Filling {
  readonly memory: Buffer;
  length: number;
  /** The bytes at its beginning that lie in tails. */
  missing: number;
  readonly takenAt: number;
  private readonly sum: Hash = createHash('sha256');
  private readonly md5: Hash = createHash('md5');
  /** The bytes that the sums hold. */
  private summed = 0;

  /** @param takenAt when the memory was taken, by the clock that never jumps */
  constructor(memory: Buffer, missing: number, takenAt: number) {
    this.memory = memory;
    this.missing = missing;
    this.takenAt = takenAt;
    this.length = missing;
  }

  /** @returns how many of the bytes the part has taken */
  add(bytes: Uint8Array): number {
    const taken = bytes.subarray(0, this.memory.length - this.length);
    this.memory.set(taken, this.length);
    this.length += taken.length;
    if (this.summed === this.length - taken.length) this.addToSums();
    return taken.length;
  }

  /** Puts a tail in its place. @returns its length */
  load(tail: Buffer, at: number): number {
    this.memory.set(tail, at);
    this.missing -= tail.length;
    return tail.length;
  }

  bytes(): Buffer {
    return this.memory.subarray(0, this.length);
  }

  /** Nothing may be added any more. */
  async end(): Promise<{ bytes: Buffer; sum: string; md5: string }> {
    for (; this.summed < this.length; await breathe()) this.addToSums();
    return { bytes: this.bytes(), sum: this.sum.digest('hex'), md5: this.md5.digest('base64') };
  }

  private addToSums(): void {
    const bytes = this.memory.subarray(this.summed, Math.min(this.summed + summedTogether, this.length));
    this.sum.update(bytes);
    this.md5.update(bytes);
    this.summed += bytes.length;
  }
}

/** A body may collect a part for this long while others wait. */
const turnMs = 5_000;

interface TakenMemory {
  bytes: Buffer;
  takenAt: number;
}

/**
 * The memory for parts of this process. A body that finds none waits, and its connection with it.
 * Bodies that bring little have turns, so that no body waits for long.
 */
export class PartMemory {
  private free: Buffer[] = [];
  private unused: number;
  private readonly most: number;
  private readonly clock: Pick<Clock, 'elapsed'>;
  private readonly waiting = new Set<(memory: Buffer) => void>();

  /** @param most parts at once */
  constructor(most: number, clock: Pick<Clock, 'elapsed'>) {
    this.most = most;
    this.unused = most;
    this.clock = clock;
  }

  /** @throws Refusal 423 when the signal aborts before there is any */
  async take(signal: AbortSignal): Promise<TakenMemory> {
    return { bytes: this.takeNow() ?? (await this.wait(signal)), takenAt: this.clock.elapsed() };
  }

  /** Whether a body has had its turn, and others wait. */
  isDue({ takenAt }: Pick<TakenMemory, 'takenAt'>): boolean {
    return this.waiting.size > 0 && this.clock.elapsed() - takenAt >= turnMs;
  }

  giveBack(memory: Buffer): void {
    const [next] = this.waiting;
    if (next !== undefined) {
      this.waiting.delete(next);
      next(memory);
      return;
    }
    this.free.push(memory);
    if (this.free.length + this.unused < this.most) return;
    // Nothing is being received any more.
    this.free = [];
    this.unused = this.most;
  }

  private takeNow(): Buffer | null {
    const free = this.free.pop();
    if (free !== undefined) return free;
    if (this.unused === 0) return null;
    this.unused -= 1;
    // The system gives the pages of it as they are written.
    return Buffer.allocUnsafeSlow(partBytes);
  }

  private async wait(signal: AbortSignal): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const leave = () => {
      this.waiting.delete(resolve);
      reject(new Refusal('locked'));
    };
    this.waiting.add(resolve);
    signal.addEventListener('abort', leave);
    if (signal.aborted) leave();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }
}

async function* inOnePiece(bytes: Buffer): AsyncIterable<Uint8Array> {
  yield bytes;
}
