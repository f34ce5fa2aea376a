import { proxy } from 'valtio/vanilla';
import type { PickedFile } from '#app/state/uploads/uploads-state.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import type { TagLabel } from '#contract/entities/tag.ts';
import { messageOf } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { checkFileCount, rejectedFiles } from '#contract/rules/upload-file.ts';
import { withQueue } from '../../state/uploads/load-upload-queue.ts';
import { summaryOf } from './upload-summary.ts';

interface UploadScreenState {
  /** The session is being opened. */
  isStarting: boolean;
  /** Files are being stored. */
  isAdding: boolean;
  /** Whether Clear All asks first. */
  isAskingToClear: boolean;
}

export const uploadScreen = proxy<UploadScreenState>({ isStarting: false, isAdding: false, isAskingToClear: false });

/** Adds what can be sent; the rest is listed in one alert with its reasons (§5 Upload). */
export async function addFiles(files: readonly PickedFile[]): Promise<void> {
  if (files.length === 0) return;
  uploadScreen.isAdding = true;
  const refused = await act((queue) => queue.add(files.slice(0, limits.uploadFilesPerSession)));
  uploadScreen.isAdding = false;
  const reason = checkFileCount(files.length) ?? '';
  const beyond = files.slice(limits.uploadFilesPerSession).map(({ file }) => ({ filename: file.name, reason }));
  showRejected([...(refused ?? []), ...beyond]);
}

export async function startUploads(): Promise<void> {
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

/** Shown at once, so that the next press counts from there. */
async function setBatchTags(tagIds: string[]): Promise<void> {
  uploads.tagIds = tagIds;
  await act((queue) => queue.setTags(tagIds));
}

/** Goes on with a file that was chosen again, or says why it is another one. */
export async function pickAgain(id: string, file: PickedFile): Promise<void> {
  const refusal = await act((queue) => queue.pickAgain(id, file));
  if (refusal) showAlert('Choose the file again', refusal);
}

export async function claimShared(batchId: string): Promise<void> {
  showRejected((await act((queue) => queue.claimShared(batchId))) ?? []);
}

/** Asks first while an upload is running (§4 Upload). */
export function clearAll(): void {
  if (summaryOf(uploads.rows).isRunning) uploadScreen.isAskingToClear = true;
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

/** Loads what is stored. Returns what forgets the state of the screen; the uploads themselves go on. */
export function openUploads(): () => void {
  void act(() => Promise.resolve());
  return () => {
    Object.assign(uploadScreen, { isStarting: false, isAdding: false, isAskingToClear: false });
    resetAlerts();
  };
}

/** Failed transfers are the queue's own and stand in the rows. What is left: a file of the app that cannot be loaded. */
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
  /** Those of which the name is known; the batch itself knows ids. */
  known: TagLabel[];
}>({ isOpen: false, known: [] });

export function openBatchTags(): void {
  batchTags.isOpen = true;
}

export function closeBatchTags(): void {
  batchTags.isOpen = false;
}

/** Changes the batch at once: a file that is under way gets it, too. */
export function toggleBatchTag({ id, name, color }: Readonly<TagLabel>): void {
  const { tagIds } = uploads;
  const isChosen = tagIds.includes(id);
  if (!batchTags.known.some((tag) => tag.id === id)) batchTags.known.push({ id, name, color });
  void setBatchTags(isChosen ? tagIds.filter((one) => one !== id) : [...tagIds, id]);
}

/** 'Aurora, Cities and 2 more': names as far as they are known. */
export function namesOf(tagIds: readonly string[], known: readonly Readonly<TagLabel>[]): string {
  const names = tagIds.flatMap((id) => known.find((tag) => tag.id === id)?.name ?? []);
  const rest = tagIds.length - names.length;
  if (names.length === 0) return `${rest} chosen`;
  return rest === 0 ? names.join(', ') : `${names.join(', ')} and ${rest} more`;
}

interface Alert {
  title: string;
  /** Several lines are joined by line breaks. */
  sentence: string;
}

/** What the screen has to say before anything else goes on; the first one is shown. */
export const alerts = proxy<{ waiting: Alert[] }>({ waiting: [] });

export function showAlert(title: string, sentence: string): void {
  alerts.waiting.push({ title, sentence });
}

/** §5 Upload: one alert for all, a line for each; none where nothing was refused. */
export function showRejected(rejections: readonly { filename: string; reason: string }[]): void {
  if (rejections.length > 0) showAlert('Upload Videos', rejectedFiles(rejections));
}

export function dismissAlert(): void {
  alerts.waiting.shift();
}

export function resetAlerts(): void {
  alerts.waiting = [];
}
