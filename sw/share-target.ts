import { noRoomForFile } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { checkExtension, checkFileBytes, checkFileCount, checkFilename } from '#contract/rules/upload-file.ts';
import { shareAction } from '#contract/server-paths.ts';
import type { FactStore } from '#device/facts.ts';
import { facts } from '#device/facts.ts';
import { newRandomId } from '#device/random-id.ts';
import { now } from '#device/timers.ts';
import type { QueuedUpload, Rejection, UploadBatch } from '#device/uploads/queued-upload.ts';
import { newBatch, newUpload } from '#device/uploads/queued-upload.ts';
import type { UploadPieces } from '#device/uploads/upload-bytes.ts';
import { Staging, uploadPieces } from '#device/uploads/upload-bytes.ts';
import type { UploadStore } from '#device/uploads/upload-store.ts';
import { uploadStore } from '#device/uploads/upload-store.ts';
import type { FormPart } from './multipart-reader.ts';
import { MultipartReader } from './multipart-reader.ts';

/** As the manifest names it: what comes under another name is not there. */
const sharedFilesField = 'files';

const hourMs = 3_600_000;

/** After that, what a worker received that ended meanwhile is dropped. */
const receivingMs = hourMs;

interface ShareStores {
  store: UploadStore;
  staging: Pick<Staging, 'roomForCopy'>;
  pieces: UploadPieces;
  facts: Pick<FactStore, 'read'>;
}

export function isShare(url: URL): boolean {
  return url.pathname === shareAction;
}

/**
 * Files that another app shares into this one. They are stored before the page opens, so that they are there whatever
 * becomes of the worker, and whether or not anybody is signed in.
 * @returns the way to the page that lists them; where none could be stored, it finds nothing under this id
 */
export async function receiveShare(
  request: Request,
  stores: ShareStores = { store: uploadStore, staging: new Staging(), pieces: uploadPieces, facts },
): Promise<Response> {
  const { origin } = new URL(request.url);
  if (isForeign(request, origin)) return new Response('This was sent by another site.', { status: 403 });
  const id = newRandomId();
  try {
    const form = new MultipartReader(await openBody(request), request.headers.get('content-type') ?? '');
    await new Share(id, stores).receive(form).finally(() => form.cancel());
  } catch {
    // No form, one that is cut off, or a database that fails: the page says that nothing is there.
  }
  return Response.redirect(`${origin}/?share=${id}`, 303);
}

/** The system itself has no origin to name, and neither has a page that hides its own: nothing is sent unasked. */
function isForeign({ headers, referrer }: Request, origin: string): boolean {
  const sender = headers.get('origin') ?? 'null';
  if (sender !== 'null') return sender !== origin;
  return referrer.startsWith('http') && new URL(referrer).origin !== origin;
}

/** Chromium has `Request.body` since 105; what `blob` gives before that stays outside of the memory of the worker. */
async function openBody(request: Request): Promise<ReadableStream<Uint8Array>> {
  const body = request.body ?? new Response(await request.blob()).body;
  if (body === null) throw new Error('This engine gives no bytes of a form');
  return body;
}

/**
 * What is shared at one time. Its files are written while they come; until all of them are there nobody sees any, and
 * nothing is left where they are cut off.
 */
class Share {
  private readonly id: string;
  private readonly stores: ShareStores;
  private readonly createdAt = now();
  private readonly rejections: Rejection[] = [];
  private accepted = 0;

  constructor(id: string, stores: ShareStores) {
    this.id = id;
    this.stores = stores;
  }

  /** @throws where it is cut off, or the database fails */
  async receive(form: MultipartReader): Promise<void> {
    const { store } = this.stores;
    await store.sweep(this.createdAt);
    try {
      for (let part = await form.next(); part !== null; part = await form.next())
        if (part.name === sharedFilesField && part.filename !== null) await this.receiveFile(form, part.filename, part);
      await this.show();
    } catch (error) {
      await store.removeBatch(this.id);
      throw error;
    }
  }

  private async receiveFile(form: MultipartReader, filename: string, { type }: FormPart): Promise<void> {
    // The same as for files that are picked.
    const refusal = checkFilename(filename) ?? checkExtension(filename) ?? checkFileCount(this.accepted + 1);
    const upload = refusal === null ? await this.begin(filename, type) : null;
    const copy = upload && new GrowingCopy(this.stores.pieces, upload.id, await this.stores.staging.roomForCopy());
    let bytes = 0;
    for (let chunk = await form.read(); chunk !== null; chunk = await form.read()) {
      bytes += chunk.length;
      await copy?.add(chunk);
    }
    const reason = refusal ?? checkFileBytes(bytes) ?? ((await copy?.finish()) ? null : noRoomForFile);
    if (reason === null && upload && (await this.accept(upload, bytes))) return;
    if (upload) await this.stores.store.removeUpload(upload.id);
    this.rejections.push({ filename, reason: reason ?? noRoomForFile });
  }

  /** @returns null where the device has no room for it */
  private async begin(name: string, type: string): Promise<QueuedUpload | null> {
    const { id, createdAt, stores } = this;
    const file = { name, size: 0, type: type.length > limits.mimeTypeCharacters ? '' : type, lastModified: createdAt };
    const draft = newUpload(file, { batchId: id, source: { kind: 'picked-again' }, createdAt });
    // A batch goes with its last file.
    const uploads =
      this.accepted === 0
        ? (await stores.store.add(this.toBatch({ state: 'receiving', keptUntil: createdAt + receivingMs }), [draft]))
            .uploads
        : await stores.store.append(id, [draft]);
    return uploads?.[0] ?? null;
  }

  /** @returns false where it is gone, or the device has no room */
  private async accept({ id }: QueuedUpload, size: number): Promise<boolean> {
    const change = { size, source: { kind: 'staged' as const } };
    const changed = await this.stores.store.updateUpload(id, change).catch(() => null);
    if (changed === null) return false;
    this.accepted += 1;
    return true;
  }

  /** From here on the page finds it. */
  private async show(): Promise<void> {
    const { store, facts } = this.stores;
    const { id, accepted, rejections, createdAt } = this;
    if (accepted + rejections.length === 0) return;
    const userId = (await facts.read('viewer'))?.userId ?? null;
    const isKept = userId !== null && accepted > 0;
    const keptUntil = isKept ? null : createdAt + limits.sharedFilesHours * hourMs;
    const shown = { state: 'draft' as const, userId, keptUntil, rejections };
    // Where all of them were refused, only why is left.
    if (accepted === 0) await store.add(this.toBatch(shown), []);
    else if ((await store.updateBatch(id, shown)) === null) throw new Error('The files that were received are gone');
  }

  private toBatch(facts: Partial<UploadBatch>): UploadBatch {
    return newBatch({ id: this.id, userId: null, createdAt: this.createdAt, ...facts });
  }
}

/** A copy of a file whose size nobody knows before all of it has come. */
class GrowingCopy {
  private readonly pieces: UploadPieces;
  private readonly id: string;
  private readonly room: number;
  /** What the next piece consists of. */
  private parts: Uint8Array[] = [];
  private filled = 0;
  private stored = 0;
  private isDropped = false;

  /** @param room bytes that it may have */
  constructor(pieces: UploadPieces, id: string, room: number) {
    this.pieces = pieces;
    this.id = id;
    this.room = room;
  }

  /** Without room for it, what was copied is dropped, and all that follows. */
  async add(chunk: Uint8Array): Promise<void> {
    if (!this.isDropped && this.stored + this.filled + chunk.length > this.room) await this.drop();
    for (let at = 0; at < chunk.length && !this.isDropped; ) {
      const part = chunk.subarray(at, at + limits.stagedPieceBytes - this.filled);
      this.parts.push(part);
      at += part.length;
      this.filled += part.length;
      if (this.filled === limits.stagedPieceBytes) await this.store();
    }
  }

  /** @returns whether all of it was copied */
  async finish(): Promise<boolean> {
    if (!this.isDropped && this.filled > 0) await this.store();
    return !this.isDropped;
  }

  private async store(): Promise<void> {
    const bytes = new Uint8Array(this.filled);
    let at = 0;
    for (const part of this.parts) {
      bytes.set(part, at);
      at += part.length;
    }
    this.parts = [];
    const grown = await this.pieces.add(this.id, this.stored, bytes.buffer).catch(() => null);
    if (grown === null) return this.drop();
    this.stored += this.filled;
    this.filled = 0;
  }

  private async drop(): Promise<void> {
    this.isDropped = true;
    this.parts = [];
    await this.pieces.drop(this.id).catch(() => {}); // it goes with its file
  }
}
