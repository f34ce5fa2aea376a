import { proxy } from 'valtio/vanilla';
import type { PickedFile } from '#app/state/uploads/uploads-state.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import type { TagLabel } from '#contract/entities/tag.ts';
import { messageOf } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { checkFileCount, rejectedFiles } from '#contract/rules/upload-file.ts';
import type { Rejection } from '#device/uploads/queued-upload.ts';
import { withQueue } from '../../state/uploads/load-upload-queue.ts';
import { currentSummary } from './upload-summary.ts';

interface UploadScreenState {
  /** True while the session is being opened. */
  isStarting: boolean;
  /** True while files are being stored. */
  isAdding: boolean;
  /** True while Clear All asks for confirmation. */
  isAskingToClear: boolean;
}

export const uploadScreen = proxy<UploadScreenState>({ isStarting: false, isAdding: false, isAskingToClear: false });

/**
 * Adds the files that can be sent; the others are listed in one alert with their reasons (§5
 * Upload), after those that could not be read.
 */
export async function addFiles(files: readonly PickedFile[], unread: readonly Rejection[] = []): Promise<void> {
  if (files.length === 0) return showRejected(unread);
  uploadScreen.isAdding = true;
  const refused = await act((queue) => queue.add(files.slice(0, limits.uploadFilesPerSession)));
  uploadScreen.isAdding = false;
  const reason = checkFileCount(files.length) ?? '';
  const beyond = files.slice(limits.uploadFilesPerSession).map(({ file }) => ({ filename: file.name, reason }));
  showRejected([...unread, ...(refused ?? []), ...beyond]);
}

export async function startSending(): Promise<void> {
  if (uploadScreen.isStarting) return;
  uploadScreen.isStarting = true;
  await act((queue) => queue.start());
  uploadScreen.isStarting = false;
}

export const pauseUpload = (id: string) => act((queue) => queue.pause(id));
export const resumeUpload = (id: string) => act((queue) => queue.resume(id));
export const retryUpload = (id: string) => act((queue) => queue.retry(id));
export const removeUpload = (id: string) => act((queue) => queue.remove(id));
export const allowReading = (id: string) => act((queue) => queue.askPermission(id));
export const pauseAll = () => act((queue) => queue.pauseAll());
export const resumeAll = () => act((queue) => queue.resumeAll());
export const clearCompleted = () => act((queue) => queue.clearCompleted());
export const discardShared = (batchId: string) => act((queue) => queue.discardShared(batchId));

/** Sets the tags of the batch. They are shown at once, so that the next choice builds on them. */
async function setBatchTags(tagIds: string[]): Promise<void> {
  uploads.tagIds = tagIds;
  await act((queue) => queue.setTags(tagIds));
}

/** Resumes a file that was chosen again, or shows why it is a different file. */
export async function pickAgain(id: string, file: PickedFile): Promise<void> {
  const refusal = await act((queue) => queue.pickAgain(id, file));
  if (refusal) showAlert('Choose the file again', refusal);
}

export async function claimShared(batchId: string): Promise<void> {
  showRejected((await act((queue) => queue.claimShared(batchId))) ?? []);
}

/** Clears all files, after a confirmation while an upload is running (§4 Upload). */
export function clearAll(): void {
  if (currentSummary().isRunning) uploadScreen.isAskingToClear = true;
  else void clearEverything();
}

export async function clearEverything(): Promise<void> {
  cancelClearing();
  await act((queue) => queue.clearAll());
}

export function cancelClearing(): void {
  uploadScreen.isAskingToClear = false;
}

export function dismissStartFailure(): void {
  uploads.startFailure = null;
}

/**
 * Loads the stored uploads. Returns a function that resets the screen; the uploads themselves
 * continue.
 */
export function openUploads(): () => void {
  void act(() => Promise.resolve());
  return () => {
    Object.assign(uploadScreen, { isStarting: false, isAdding: false, isAskingToClear: false });
    resetAlerts();
  };
}

/**
 * Runs an action on the queue. Failed transfers are shown in their rows; the alert shows other
 * failures, such as code that cannot be loaded.
 */
async function act<Result>(action: Parameters<typeof withQueue<Result>>[0]): Promise<Result | null> {
  try {
    return await withQueue(action);
  } catch (error) {
    showAlert('Uploads', messageOf(error));
    return null;
  }
}

export const batchTags = proxy<{
  isOpen: boolean;
  /** The tags whose names are known; the batch itself stores only ids. */
  known: TagLabel[];
}>({ isOpen: false, known: [] });

export function openBatchTags(): void {
  batchTags.isOpen = true;
}

export function closeBatchTags(): void {
  batchTags.isOpen = false;
}

/** Adds or removes a tag at once, even for files that are being sent. */
export function toggleBatchTag({ id, name, color }: Readonly<TagLabel>): void {
  const { tagIds } = uploads;
  const isChosen = tagIds.includes(id);
  if (!batchTags.known.some((tag) => tag.id === id)) batchTags.known.push({ id, name, color });
  void setBatchTags(isChosen ? tagIds.filter((one) => one !== id) : [...tagIds, id]);
}

/** Replaces ids of tags by those that `read` gives for them. */
export async function settleBatchTags(
  read: (tagIds: readonly string[]) => Promise<(tagId: string) => string>,
): Promise<void> {
  const tagIds = [...uploads.tagIds];
  const given = await read(tagIds);
  if (tagIds.every((id) => given(id) === id)) return;
  const renamed = batchTags.known.filter(({ id }) => given(id) !== id);
  batchTags.known.push(...renamed.map((tag) => ({ ...tag, id: given(tag.id) })));
  await setBatchTags([...new Set(uploads.tagIds.map(given))]);
}

/** The names of the tags as far as they are known: 'Aurora, Cities and 2 more'. */
export function tagNamesOf(tagIds: readonly string[], known: readonly Readonly<TagLabel>[]): string {
  const names = tagIds.flatMap((id) => known.find((tag) => tag.id === id)?.name ?? []);
  const rest = tagIds.length - names.length;
  if (names.length === 0) return `${rest} chosen`;
  return rest === 0 ? names.join(', ') : `${names.join(', ')} and ${rest} more`;
}

interface Alert {
  title: string;
  /** A sentence, or several lines joined by line breaks. */
  sentence: string;
}

/** The alerts of the screen, of which the first one is shown. */
export const uploadAlerts = proxy<{ waiting: Alert[] }>({ waiting: [] });

export function showAlert(title: string, sentence: string): void {
  uploadAlerts.waiting.push({ title, sentence });
}

/**
 * Shows one alert for all refused files, with a line for each; none when there are none (§5
 * Upload).
 */
export function showRejected(rejections: readonly { filename: string; reason: string }[]): void {
  if (rejections.length > 0) showAlert('Upload Videos', rejectedFiles(rejections));
}

export function dismissAlert(): void {
  uploadAlerts.waiting.shift();
}

export function resetAlerts(): void {
  uploadAlerts.waiting = [];
}
