import { deviceFailures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { checkExtension, checkFileBytes, checkFileCount, checkFilename } from '#contract/rules/upload-file.ts';
import { shareAction } from '#contract/server-paths.ts';
import type { FactStore } from '#device/device-database.ts';
import { facts } from '#device/device-database.ts';
import { newRandomId } from '#device/random-id.ts';
import { sweepTime } from '#device/tab-turn.ts';
import { now } from '#device/timers.ts';
import type { QueuedUpload, Rejection, UploadBatch } from '#device/uploads/queued-upload.ts';
import { newBatch, newUpload } from '#device/uploads/queued-upload.ts';
import type { UploadPieces } from '#device/uploads/upload-bytes.ts';
import { Staging, uploadPieces } from '#device/uploads/upload-bytes.ts';
import type { UploadStore } from '#device/uploads/upload-store.ts';
import { uploadStore } from '#device/uploads/upload-store.ts';
import type { FormPart } from './multipart-reader.ts';
import { MultipartReader } from './multipart-reader.ts';

/** The form field that the manifest names; other fields are ignored. */
const sharedFilesField = 'files';

const hourMs = 3_600_000;

/** The time after which a batch is deleted whose worker ended while receiving it. */
const receivingMs = hourMs;

interface ShareStores {
  store: UploadStore;
  staging: Pick<Staging, 'roomForCopy'>;
  pieces: UploadPieces;
  facts: Pick<FactStore, 'read' | 'update'>;
}

export function isShare(url: URL): boolean {
  return url.pathname === shareAction;
}

/**
 * Receives the files that another app shares into this one. They are stored before the page opens,
 * so that they outlive the worker and do not need anyone to be signed in.
 * @returns a redirect to the page that lists them; when none could be stored, the page finds
 * nothing under this id
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
    // The form is missing or truncated, or the database fails: the page says that no files were
    // stored.
  }
  return Response.redirect(`${origin}/?share=${id}`, 303);
}

/**
 * Whether another site has sent the form. The system sends no origin, and neither does a page that
 * hides its own; both are accepted, because files are not sent before the user starts the upload.
 */
function isForeign({ headers, referrer }: Request, origin: string): boolean {
  const sender = headers.get('origin') ?? 'null';
  if (sender !== 'null') return sender !== origin;
  return referrer.startsWith('http') && new URL(referrer).origin !== origin;
}

/**
 * The body as a stream. Chromium has `Request.body` since version 105; in earlier versions `blob`
 * keeps the bytes outside of the worker's memory.
 */
async function openBody(request: Request): Promise<ReadableStream<Uint8Array>> {
  const body = request.body ?? new Response(await request.blob()).body;
  if (body === null) throw new Error('This engine gives no bytes of a form');
  return body;
}

/**
 * One set of shared files. They are written as they arrive; the batch becomes visible when it is
 * complete, and is deleted when it is truncated.
 */
class Share {
  private readonly id: string;
  private readonly stores: ShareStores;
  private readonly createdAt = now();
  /** The time from which on it is kept. */
  private since = 0;
  private readonly rejections: Rejection[] = [];
  private accepted = 0;

  constructor(id: string, stores: ShareStores) {
    this.id = id;
    this.stores = stores;
  }

  /** @throws when the form is truncated, or the database fails */
  async receive(form: MultipartReader): Promise<void> {
    const { store, facts: stored } = this.stores;
    this.since = await sweepTime(stored);
    await store.sweep(this.since);
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
    // The same rules apply to files that are picked.
    const refusal = checkFilename(filename) ?? checkExtension(filename) ?? checkFileCount(this.accepted + 1);
    const upload = refusal === null ? await this.begin(filename, type) : null;
    const copy = upload && new GrowingCopy(this.stores.pieces, upload.id, await this.stores.staging.roomForCopy());
    let bytes = 0;
    for (let chunk = await form.read(); chunk !== null; chunk = await form.read()) {
      bytes += chunk.length;
      await copy?.add(chunk);
    }
    const reason = refusal ?? checkFileBytes(bytes) ?? ((await copy?.finish()) ? null : deviceFailures.noRoomForFile);
    if (reason === null && upload && (await this.accept(upload, bytes))) return;
    if (upload) await this.stores.store.removeUpload(upload.id);
    this.rejections.push({ filename, reason: reason ?? deviceFailures.noRoomForFile });
  }

  /** @returns null when the device has no room for it */
  private async begin(name: string, type: string): Promise<QueuedUpload | null> {
    const { id, createdAt, stores } = this;
    const file = { name, size: 0, type: type.length > limits.mimeTypeCharacters ? '' : type, lastModified: createdAt };
    const draft = newUpload(file, { batchId: id, source: { kind: 'picked-again' }, createdAt });
    // A batch is deleted with its last file.
    const uploads =
      this.accepted === 0
        ? (await stores.store.add(this.toBatch({ state: 'receiving', keptUntil: this.since + receivingMs }), [draft]))
            .uploads
        : await stores.store.append(id, [draft]);
    return uploads?.[0] ?? null;
  }

  /** @returns false when the file is deleted, or the device has no room */
  private async accept({ id }: QueuedUpload, size: number): Promise<boolean> {
    const change = { size, source: { kind: 'staged' as const } };
    const changed = await this.stores.store.updateUpload(id, change).catch(() => null);
    if (changed === null) return false;
    this.accepted += 1;
    return true;
  }

  /** Makes the batch visible to the page. */
  private async show(): Promise<void> {
    const { store, facts } = this.stores;
    const { id, accepted, rejections, since } = this;
    if (accepted + rejections.length === 0) return;
    const userId = (await facts.read('viewer'))?.userId ?? null;
    const isKept = userId !== null && accepted > 0;
    const keptUntil = isKept ? null : since + limits.sharedFilesHours * hourMs;
    const shown = { state: 'draft' as const, userId, keptUntil, rejections };
    // When all files were refused, only the reasons are stored.
    if (accepted === 0) await store.add(this.toBatch(shown), []);
    else if ((await store.updateBatch(id, shown)) === null) throw new Error('The files that were received are gone');
  }

  private toBatch(facts: Partial<UploadBatch>): UploadBatch {
    return newBatch({ id: this.id, userId: null, createdAt: this.createdAt, ...facts });
  }
}

/** A copy of a file whose size is unknown until it has arrived completely. */
class GrowingCopy {
  private readonly pieces: UploadPieces;
  private readonly id: string;
  private readonly room: number;
  /** The chunks of the next piece. */
  private parts: Uint8Array[] = [];
  private filled = 0;
  private stored = 0;
  private isDropped = false;

  /** @param room the most bytes of the copy */
  constructor(pieces: UploadPieces, id: string, room: number) {
    this.pieces = pieces;
    this.id = id;
    this.room = room;
  }

  /**
   * Adds a chunk. When there is no room for it, the copy is deleted, and later chunks are ignored.
   */
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
