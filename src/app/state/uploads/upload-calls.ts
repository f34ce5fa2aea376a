import { buildAddress } from '#app/platform/http/address.ts';
import { call } from '#app/platform/http/call.ts';
import { fetchWithinLimit } from '#app/platform/http/time-limit.ts';
import type { CallEnd, FinishEnd, SessionCalls } from '#app/transfer/batch-sessions.ts';
import { readConfig, readTag, readUploadProgress, renewUploadKey, startUpload } from '#contract/endpoints.ts';
import type { TagReply } from '#contract/entities/tag.ts';
import type { UploadKey, UploadProgress, UploadSession, UploadStart } from '#contract/entities/upload.ts';
import { limits } from '#contract/limits.ts';
import type { ReplayAnswer } from '#device/outbox-replay.ts';
import { outboxStore } from '#device/outbox-store.ts';
import { finishBatches } from '#device/uploads/finish-batches.ts';
import type { QueuedUpload, UploadBatch } from '#device/uploads/queued-upload.ts';
import { isRemoved } from '#device/uploads/queued-upload.ts';
import { uploadStore } from '#device/uploads/upload-store.ts';
import { mayEditTags } from '../may.ts';
import type { OwnRequest } from '../send-as.ts';
import { sendAs } from '../send-as.ts';
import { uploads } from './uploads-state.ts';

/** The time limit of these calls, which the server can take long to answer. */
const limitSeconds = 70;

/** The calls about one user's upload sessions. */
export class UploadCalls implements SessionCalls {
  private readonly userId: string;

  constructor(userId: string) {
    this.userId = userId;
  }

  /** Opens a session, without the chosen channels that are not there any more. */
  async open(batch: UploadBatch, files: readonly QueuedUpload[]): Promise<CallEnd<UploadSession>> {
    // Channels that are still to be created are added at the end.
    const tagIds = mayEditTags() ? ((await outboxStore.findTagIds(this.userId, batch.tagIds)) ?? []) : [];
    const end = await this.openWith(tagIds, batch, files);
    if (end.kind !== 'refused' || end.status !== 404 || tagIds.length === 0) return end;
    const gone: string[] = [];
    for (const id of tagIds) {
      const found = await this.send<TagReply>({ method: readTag.method, address: buildAddress(readTag.path, { id }) });
      if (found.kind === 'later' || found.kind === 'not-signed-in') return found;
      if (found.kind === 'refused' || !found.reply.tag.active) gone.push(id);
    }
    await forgetTags(batch.id, gone);
    return this.openWith(withoutTags(tagIds, gone), batch, files);
  }

  /** The same files and channels give the same key: a lost answer is sent again. */
  private openWith(tagIds: readonly string[], { id: batchId }: UploadBatch, files: readonly QueuedUpload[]) {
    const body: UploadStart = {
      files: files.map(({ name, size, type }) => ({
        filename: name,
        file_size: size,
        mime_type: type || limits.uploadMimeType,
      })),
      ...(tagIds.length > 0 ? { tag_ids: [...tagIds] } : {}),
    };
    const before = files.map(({ id, destination }) => [id, destination?.fileId]);
    const headers = { 'Idempotency-Key': `${batchId}-${digest(JSON.stringify([before, body]))}` };
    return this.send<UploadSession>({ method: startUpload.method, address: startUpload.path, body, headers });
  }

  async renewKey(sessionId: string): Promise<CallEnd<string>> {
    const { method, path } = renewUploadKey;
    const end = await this.send<UploadKey>({ method, address: buildAddress(path, { sessionId }), body: {} });
    return end.kind === 'done' ? { kind: 'done', reply: end.reply.bunny_access_key } : end;
  }

  readProgress(sessionId: string): Promise<CallEnd<UploadProgress>> {
    const { method, path } = readUploadProgress;
    return this.send({ method, address: buildAddress(path, { sessionId }) });
  }

  async finish(batchId: string): Promise<FinishEnd> {
    await finishBatches(uploadStore, (address, options) => fetchWithinLimit(address, options, limitSeconds));
    const stored = await uploadStore.read(batchId);
    if (stored === null) return 'done';
    const { batch, uploads } = stored;
    const isEnding = batch.state === 'completing' || batch.state === 'cancelling' || uploads.some(isRemoved);
    // A batch without a key gets a new one first.
    return isEnding && batch.key !== null ? 'later' : 'done';
  }

  private async send<Reply>(request: Omit<OwnRequest, 'userId'>): Promise<CallEnd<Reply>> {
    return toEnd<Reply>(await sendAs({ ...request, userId: this.userId, limitSeconds }));
  }
}

const withoutTags = (tagIds: readonly string[], gone: readonly string[]) => tagIds.filter((id) => !gone.includes(id));

/** On a full disk they are forgotten for the life of the page. */
async function forgetTags(batchId: string, gone: readonly string[]): Promise<void> {
  uploads.tagIds = withoutTags(uploads.tagIds, gone);
  await uploadStore.updateBatch(batchId, ({ tagIds }) => ({ tagIds: withoutTags(tagIds, gone) })).catch(() => null);
}

function toEnd<Reply>(answer: ReplayAnswer): CallEnd<Reply> {
  if (answer.kind === 'unanswered') return { kind: 'later', askedMs: null, isAnswered: false };
  if (answer.kind === 'not-signed-in' || answer.status === 401) return { kind: 'not-signed-in' };
  const { status, sentence, retryAfterMs: askedMs, body } = answer;
  if (status < 300) return { kind: 'done', reply: body as Reply };
  const isFull = status === 507;
  if (!isFull && (status === 408 || status === 429 || status >= 500))
    return { kind: 'later', askedMs, isAnswered: true };
  return { kind: 'refused', status, sentence };
}

/** A 32-bit FNV-1a hash that distinguishes lists of files. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16);
}

/** Null until it is known, and when the site has no limit. */
let bound: number | null = null;

/** The bytes of the largest body that proxies pass to the server; null: no known limit. */
export function readBodyBound(): number | null {
  return bound;
}

/**
 * Loads the largest body size. The configuration is requested again, because the start stores
 * nothing about uploads. Without it, the app's own limits apply to parts.
 */
export async function loadBodyBound(): Promise<void> {
  const config = await call(readConfig, { quiet: true }).catch(() => null);
  const megabytes = config?.upload.chunk_mb ?? null;
  bound = megabytes === null ? null : megabytes * 1024 ** 2;
}
