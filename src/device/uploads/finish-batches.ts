import { cancelUpload, completeUpload } from '#contract/endpoints.ts';
import type { CompletedFile, UploadCompleted } from '#contract/entities/upload.ts';
import { deviceFailures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { outboxStore } from '../outbox-store.ts';
import type { QueuedUpload, UploadBatch } from './queued-upload.ts';
import { isRemoved } from './queued-upload.ts';
import type { StoredBatch } from './upload-rows.ts';
import type { UploadStore } from './upload-store.ts';

/**
 * Sends one request. Page and worker each limit its time in their own way. @throws without a
 * network
 */
type Send = (address: string, options: RequestInit) => Promise<Response>;

/** A batch whose session the server knows. */
interface Keyed extends StoredBatch {
  batch: UploadBatch & { sessionId: string; key: string };
}

/**
 * Reports to the server all batches that are completed or cancelled, and files that were removed
 * from others. Each is authorized by its batch's key, so that nobody needs to be signed in. Page
 * and worker may do this at the same time.
 * @returns false when it has to be tried again
 */
export async function finishBatches(store: UploadStore, send: Send): Promise<boolean> {
  const ending = await store.listEnding();
  const outcomes = await Promise.all(ending.map((stored) => finish(store, send, stored).catch(() => false)));
  return outcomes.every(Boolean);
}

/** @returns false when it has to be tried again. @throws without a network */
async function finish(store: UploadStore, send: Send, all: StoredBatch): Promise<boolean> {
  const { batch } = all;
  const stored = { batch, uploads: all.uploads.filter((upload) => !isRemoved(upload)) };
  if (batch.state !== 'cancelling') {
    const left = await endRemoved(store, send, all);
    // Removed files are reported first, so that the server makes no video of them.
    if (left !== 'none') return left === 'keyless';
    if (batch.state !== 'completing') return true;
  }
  if (stored.batch.state === 'cancelling' && stored.batch.sessionId === null) {
    await store.removeBatch(stored.batch.id);
    return true;
  }
  // Its owner is signed out: the batch gets a new key when they return.
  if (!isKeyed(stored)) return true;
  return stored.batch.state === 'cancelling' ? cancel(store, send, stored) : complete(store, send, stored);
}

/**
 * Deletes the server's part of files that were removed.
 * @returns the files that remain: `keyless` ones wait for their owner, others have to be tried
 * again
 */
async function endRemoved(
  store: UploadStore,
  send: Send,
  { batch, uploads }: StoredBatch,
): Promise<'none' | 'keyless' | 'some'> {
  for (const { id, destination } of uploads.filter(isRemoved)) {
    const isKnown = batch.sessionId !== null && batch.state !== 'over' && destination?.protocol === 'tus';
    if (isKnown) {
      if (batch.key === null) return 'keyless';
      const headers = { AccessKey: batch.key, 'Tus-Resumable': '1.0.0' };
      const { status } = await send(destination.address, { method: 'DELETE', headers });
      if (isRefusedKey(status)) {
        await forgetKey(store, batch);
        return 'keyless';
      }
      // The upload has ended, or has become a video already.
      if (![204, 409, 410].includes(status)) return 'some';
    }
    await store.removeUpload(id);
  }
  return 'none';
}

async function cancel(store: UploadStore, send: Send, { batch }: Keyed): Promise<boolean> {
  const { status } = await send(addressOf(cancelUpload.path, batch.sessionId), {
    method: cancelUpload.method,
    headers: { AccessKey: batch.key },
  });
  if (isRefusedKey(status)) return forgetKey(store, batch);
  // Only these statuses count: a captive portal answers every call with a 200.
  if (status !== 204 && status !== 410) return false;
  await store.removeBatch(batch.id);
  return true;
}

async function complete(store: UploadStore, send: Send, stored: Keyed): Promise<boolean> {
  const { batch } = stored;
  const tagIds = await outboxStore.findTagIds(batch.userId ?? '', batch.tagIds);
  // A channel that was made without a network is sent first.
  if (tagIds === null) return false;
  let answer = await postCompletion(send, stored, tagIds);
  // A channel may be deleted by now; the videos are then completed without tags.
  if (tagIds.length > 0 && isRefusal(answer.status)) answer = await postCompletion(send, stored, []);
  if (answer.status === 410) return end(store, stored, await describe(answer));
  if (isRefusedKey(answer.status)) return forgetKey(store, batch);
  if (!answer.ok) return false;
  return record(store, stored, (await answer.json()) as UploadCompleted);
}

/**
 * Sends the completion with the ids of files that have failed here: otherwise the server expects
 * them for as long as the session is open.
 */
function postCompletion(send: Send, { batch, uploads }: Keyed, tagIds: readonly string[]): Promise<Response> {
  const failed = uploads.flatMap(({ state, destination }) => (state === 'failed' ? (destination?.fileId ?? []) : []));
  const failedIds = failed.slice(0, limits.uploadFilesPerSession);
  const more = failedIds.length === 0 ? {} : { failed_ids: failedIds };
  return send(addressOf(completeUpload.path, batch.sessionId), {
    method: completeUpload.method,
    headers: { AccessKey: batch.key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ session_id: batch.sessionId, files: [], tag_ids: tagIds, ...more }),
  });
}

/**
 * Stores the result for each file. A file that has not arrived completely is sent again, a failed
 * one can be.
 */
async function record(store: UploadStore, { batch, uploads }: Keyed, { files }: UploadCompleted): Promise<boolean> {
  const outcomes = uploads.map((upload) => outcomeOf(upload, files));
  for (const [at, upload] of uploads.entries()) await store.updateUpload(upload.id, outcomes[at] ?? {});
  const isOver = outcomes.every(({ state }) => state === 'completed');
  await leaveCompleting(store, batch, isOver ? { state: 'over', key: null } : { state: 'open' });
  return true;
}

function outcomeOf({ destination, size, state }: QueuedUpload, files: readonly CompletedFile[]): Partial<QueuedUpload> {
  const file = files.find(({ id }) => id === destination?.fileId);
  if (!file) return { state };
  const { status, message, video_id: videoId } = file;
  if (status === 'completed') return { state: status, message, videoId, acknowledgedBytes: size };
  if (status === 'failed') return { state: status, message };
  return { state: state === 'sent' ? 'pending' : state };
}

/**
 * Marks the files of an expired session as failed. The server has deleted their bytes: another
 * attempt needs a new session.
 */
async function end(store: UploadStore, { batch, uploads }: Keyed, message: string): Promise<boolean> {
  for (const { id, state } of uploads)
    if (state !== 'completed')
      await store.updateUpload(id, { state: 'failed', message, destination: null, acknowledgedBytes: 0 });
  await leaveCompleting(store, batch, { state: 'over', sessionId: null, key: null });
  return true;
}

/** Changes a batch unless it was cancelled meanwhile. */
async function leaveCompleting(store: UploadStore, { id }: UploadBatch, change: Partial<UploadBatch>): Promise<void> {
  await store.updateBatch(id, ({ state }) => (state === 'completing' ? change : {}));
}

/**
 * Forgets a refused key, unless another page has stored a newer one. The owner's page requests a
 * new key.
 */
async function forgetKey(store: UploadStore, batch: UploadBatch): Promise<boolean> {
  await store.updateBatch(batch.id, ({ key }) => (key === batch.key ? { key: null } : {}));
  return true;
}

async function describe(answer: Response): Promise<string> {
  const { message } = (await answer.json()) as { message?: unknown };
  return typeof message === 'string' ? message : deviceFailures.uploadStatus(answer.status, answer.statusText);
}

function isKeyed(stored: StoredBatch): stored is Keyed {
  return stored.batch.sessionId !== null && stored.batch.key !== null;
}

function addressOf(path: string, sessionId: string): string {
  return path.replace('{sessionId}', encodeURIComponent(sessionId));
}

function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 410 && status !== 429;
}

/** Whether the key was refused. The server answers an unknown key as an unknown session. */
function isRefusedKey(status: number): boolean {
  return status === 401 || status === 403 || status === 404;
}
