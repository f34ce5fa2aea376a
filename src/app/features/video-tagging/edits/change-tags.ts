import { proxy } from 'valtio/vanilla';
import { after } from '#app/platform/timers.ts';
import { countText } from '#app/ui/count-text.ts';
import { sentLater } from '#app/ui/list/list-changes.ts';
import type { TagLabel, VideoTag } from '#contract/entities/tag.ts';
import * as failures from '#contract/failures.ts';
import { changeWaits } from '#contract/notices.ts';
import { sendAssignment, sendRemoval } from '../send-video-tags.ts';
import type { TaggingVideo } from '../videos-store.ts';
import { applyTags, refreshTags, videos } from '../videos-store.ts';
import type { TagEdit } from './tag-edit.ts';
import { applyEdit, has, invertEdit, planAddition, planRemoval } from './tag-edit.ts';

interface ChangesState {
  /** What was done last, in words; null once it has been shown long enough. */
  done: { sentence: string; canUndo: boolean } | null;
  /** Why the last change or load failed. */
  failure: string | null;
}

const doneMs = 10_000;
const maxUndone = 50;

export const changes = proxy<ChangesState>({ done: null, failure: null });

/** What can be undone, the latest last. */
let undoable: TagEdit[][] = [];
/** The last write of each video: its next one waits, so that replies come in the order of the changes. */
const lastWrites = new Map<string, Promise<unknown>>();
let cancelFading = () => {};

export async function addTags(items: readonly TaggingVideo[], labels: readonly TagLabel[]): Promise<void> {
  const edits = planAddition(items, labels);
  await changeTags(edits, `${namesOf(labels)} added to ${subjectOf(edits)}.`, failures.assignTags);
}

export async function removeTags(items: readonly TaggingVideo[], labels: readonly TagLabel[]): Promise<void> {
  const edits = planRemoval(items, labels);
  await changeTags(edits, `${namesOf(labels)} removed from ${subjectOf(edits)}.`, failures.removeTag);
}

/** Takes back the last change, of however many videos it was. What fails of it can be tried again. */
export async function undo(): Promise<void> {
  const edits = undoable.pop();
  if (!edits) return;
  showDone('Undone.', false);
  const undone = await runEdits(edits.map(invertEdit), failures.assignTags);
  const left = edits.filter(({ id }) => !undone.some((edit) => edit.id === id));
  if (left.length === 0) return;
  undoable = [...undoable, left];
  dismissDone();
}

/** A sentence about what could not be done, though nothing failed. */
export function showNotice(sentence: string): void {
  showDone(sentence, false);
}

export function dismissDone(): void {
  cancelFading();
  changes.done = null;
}

export function dismissChangeFailure(): void {
  changes.failure = null;
}

export function resetChanges(): void {
  dismissDone();
  changes.failure = null;
  undoable = [];
}

async function changeTags(edits: TagEdit[], sentence: string, toSentence: (error: unknown) => string): Promise<void> {
  if (edits.length === 0) return;
  showDone(sentence, true);
  undoable = [...undoable, edits].slice(-maxUndone);
  const kept = await runEdits(edits, toSentence);
  if (kept.length === edits.length) return;
  undoable = undoable.map((one) => (one === edits ? kept : one)).filter((one) => one.length > 0);
  if (kept.length === 0) dismissDone();
}

/** @returns the edits that were done; a sentence is shown for the others */
async function runEdits(edits: readonly TagEdit[], toSentence: (error: unknown) => string): Promise<TagEdit[]> {
  changes.failure = null;
  const errors: unknown[] = [];
  const done: TagEdit[] = [];
  const run = async (edit: TagEdit) => {
    try {
      await runEdit(edit);
      done.push(edit);
    } catch (error) {
      errors.push(error);
    }
  };
  await Promise.all(edits.map(run));
  if (errors.length > 0) changes.failure = toSentence(summaryOf(errors, edits.length));
  return done;
}

function summaryOf(errors: readonly unknown[], all: number): unknown {
  return all === 1 ? errors[0] : failures.videosUnchanged(errors.length, all, errors[0]);
}

async function runEdit(edit: TagEdit): Promise<void> {
  await videos.change(
    (items) => items.map((item) => (item.video.id === edit.id ? { ...item, tags: applyEdit(item.tags, edit) } : item)),
    () => inOrder(edit.id, () => sendEdit(edit)),
  );
}

/** The reply, or another reading, says which tags the video has now: others may have changed them, too. */
async function sendEdit({ id, path, added, removed }: TagEdit): Promise<typeof sentLater | null> {
  const replies: (VideoTag[] | null)[] = [];
  let isRemovalWaiting = false;
  for (const tag of removed)
    if (!has(added, tag)) isRemovalWaiting = (await sendRemoval(path, tag.id)) || isRemovalWaiting;
  for (const isByFolder of [false, true]) {
    const tagIds = added.filter((tag) => (tag.by_folder === true) === isByFolder).map((tag) => tag.id);
    if (tagIds.length > 0) replies.push(await sendAssignment(path, tagIds, isByFolder));
  }
  if (isRemovalWaiting || replies.includes(null)) return showWaiting();
  const [tags] = replies.slice(-1);
  if (tags) applyTags(id, tags);
  else await refreshTags({ id, path }).catch(showReadFailure);
  return null;
}

/** The way back stays. */
function showWaiting(): typeof sentLater {
  showDone(changeWaits, changes.done?.canUndo ?? true);
  return sentLater;
}

export function showReadFailure(error: unknown): void {
  changes.failure = failures.loadVideoTags(error);
}

async function inOrder<Result>(id: string, write: () => Promise<Result>): Promise<Result> {
  const before = lastWrites.get(id) ?? Promise.resolve();
  const writing = before.then(write, write);
  lastWrites.set(id, writing);
  try {
    return await writing;
  } finally {
    if (lastWrites.get(id) === writing) lastWrites.delete(id);
  }
}

function showDone(sentence: string, canUndo: boolean): void {
  cancelFading();
  changes.done = { sentence, canUndo };
  cancelFading = after(doneMs, dismissDone);
}

function namesOf(labels: readonly TagLabel[]): string {
  return labels.map(({ name }) => name).join(', ');
}

function subjectOf({ length }: readonly TagEdit[]): string {
  return countText(length, 'video');
}
