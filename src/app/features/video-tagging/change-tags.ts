import { proxy } from 'valtio/vanilla';
import { HttpError } from '#app/platform/http/send.ts';
import { sendOrStore } from '#app/state/outbox/outbox-actions.ts';
import { sentLater } from '#app/ui/list/list-state.ts';
import { countText } from '#app/ui/texts.ts';
import type { TagLabel, VideoTag } from '#contract/entities/tag.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { notices } from '#contract/notices.ts';
import { after } from '#device/timers.ts';
import type { TaggingVideo } from './videos-store.ts';
import { applyTags, findVideo, refreshTags, taggingVideos } from './videos-store.ts';

interface ChangesState {
  /** The last change as a sentence, or null once it has been shown long enough. */
  done: { sentence: string; canUndo: boolean } | null;
  /** Why the last change or load failed. */
  failure: string | null;
}

const doneMs = 10_000;
const maxUndone = 50;

export const changes = proxy<ChangesState>({ done: null, failure: null });

/** The changes that can be undone, latest last. */
let undoable: TagEdit[][] = [];
/**
 * The last write of each video. The next write of the same video waits for it, which keeps the
 * replies in order.
 */
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

/**
 * Undoes the last change, of one video or several. Parts that fail can be tried again, unless their
 * video or tag is gone.
 */
export async function undo(): Promise<void> {
  const edits = undoable.pop();
  if (!edits) return;
  showDone('Undone.', false);
  const { done: undone, impossible } = await runEdits(edits.map(invertEdit), failures.assignTags);
  // The counts follow the changes of the videos on the page alone.
  const isElsewhere = undone.some(({ id }) => !findVideo(id));
  if (isElsewhere && taggingVideos.state.total !== null) void taggingVideos.reload();
  if (undone.length === edits.length) return;
  const left = edits.filter(({ id }) => ![...undone, ...impossible].some((edit) => edit.id === id));
  if (left.length > 0) undoable = [...undoable, left];
  dismissDone();
}

/** Shows why nothing was changed, although nothing failed. */
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
  const { done: kept } = await runEdits(edits, toSentence);
  if (kept.length === edits.length) return;
  undoable = undoable.map((one) => (one === edits ? kept : one)).filter((one) => one.length > 0);
  if (kept.length === 0) dismissDone();
}

interface EditResults {
  done: TagEdit[];
  /** The failed edits whose video or tag is gone. */
  impossible: TagEdit[];
}

/** Runs edits. The failure of those that do not succeed is shown. */
async function runEdits(edits: readonly TagEdit[], toSentence: (error: unknown) => string): Promise<EditResults> {
  changes.failure = null;
  const errors: unknown[] = [];
  const [done, impossible]: [TagEdit[], TagEdit[]] = [[], []];
  const run = async (edit: TagEdit) => {
    try {
      await runEdit(edit);
      done.push(edit);
    } catch (error) {
      errors.push(error);
      if (isGone(error)) impossible.push(edit);
    }
  };
  await Promise.all(edits.map(run));
  if (errors.length > 0) changes.failure = toSentence(summaryOf(errors, edits.length));
  return { done, impossible };
}

function isGone(error: unknown): boolean {
  return error instanceof HttpError && error.status === 404;
}

function summaryOf(errors: readonly unknown[], all: number): unknown {
  return all === 1 ? errors[0] : failures.videosUnchanged(errors.length, all, errors[0]);
}

async function runEdit(edit: TagEdit): Promise<void> {
  await taggingVideos.change(
    (items) => items.map((item) => (item.video.id === edit.id ? { ...item, tags: applyEdit(item.tags, edit) } : item)),
    () => inOrder(edit.id, () => sendEdit(edit)),
  );
}

/**
 * Sends an edit. The reply, or a new read, gives the video's current tags, because others may have
 * changed them too.
 */
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

/** Says that the change waits for the network. The undo button stays. */
function showWaiting(): typeof sentLater {
  showDone(notices.changeWaits, changes.done?.canUndo ?? true);
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

/**
 * The change of one video's tags. A tag in both lists stays, but switches between assigned by
 * people and given by the folder.
 */
interface TagEdit {
  /** Id of the video. */
  id: string;
  path: string;
  added: readonly VideoTag[];
  removed: readonly VideoTag[];
}

interface Tagged {
  readonly video: { readonly id: string; readonly path: string };
  readonly tags: readonly VideoTag[];
}

/** Applies an edit. Tags that already include it stay the same. */
export function applyEdit(tags: readonly VideoTag[], { added, removed }: TagEdit): VideoTag[] {
  const kept = tags.filter((tag) => has(added, tag) || !has(removed, tag));
  const changed = kept.map((tag) => (has(removed, tag) ? (find(added, tag) ?? tag) : tag));
  return [...changed, ...added.filter((tag) => !has(kept, tag))];
}

/**
 * Plans to add tags. A tag given by the folder becomes one assigned by people. A video that has all
 * the tags already is left out.
 */
export function planAddition(items: readonly Tagged[], labels: readonly TagLabel[]): TagEdit[] {
  return items
    .map(({ video: { id, path }, tags }) => {
      const added = labels.filter((label) => !isPutBySomebody(tags, label));
      return { id, path, added, removed: tags.filter((tag) => has(added, tag)) };
    })
    .filter(({ added }) => added.length > 0);
}

/** Plans to remove the tags that each video has. A video with none of them is left out. */
export function planRemoval(items: readonly Tagged[], labels: readonly TagLabel[]): TagEdit[] {
  return items
    .map(({ video: { id, path }, tags }) => ({ id, path, added: [], removed: tags.filter((tag) => has(labels, tag)) }))
    .filter(({ removed }) => removed.length > 0);
}

export function invertEdit({ added, removed, ...video }: TagEdit): TagEdit {
  return { ...video, added: removed, removed: added };
}

export function has(tags: readonly { readonly id: string }[], { id }: { readonly id: string }): boolean {
  return tags.some((tag) => tag.id === id);
}

/** Whether the tag is present and assigned by people, not only given by the folder. */
export function isPutBySomebody(
  tags: readonly Pick<VideoTag, 'id' | 'by_folder'>[],
  tag: { readonly id: string },
): boolean {
  const found = find(tags, tag);
  return found !== undefined && found.by_folder !== true;
}

function find<Tag extends { readonly id: string }>(
  tags: readonly Tag[],
  { id }: { readonly id: string },
): Tag | undefined {
  return tags.find((tag) => tag.id === id);
}

/*
 * The write calls of video tagging, one function each. They wait for the network when offline. Both
 * throw as `call` does, and NotStored when the device has no space for a waiting change.
 */

/**
 * @param isByFolder whether the tags become tags of the video's folder again
 * @returns all tags of the video afterwards, or null while the change waits for the network
 */
async function sendAssignment(path: string, tagIds: string[], isByFolder: boolean): Promise<VideoTag[] | null> {
  const body = { tag_ids: tagIds, confidence_score: limits.confidenceScore, ...(isByFolder && { by_folder: true }) };
  const sent = await sendOrStore('assignTags', { params: { path }, body, subject: nameOf(path) });
  return sent.isStored ? null : sent.reply.tags;
}

/**
 * Removing a tag that is already gone counts as done (§4 Tagging).
 * @returns whether the change waits for the network
 */
async function sendRemoval(path: string, tagId: string): Promise<boolean> {
  try {
    return (await sendOrStore('removeTag', { params: { path, tagId }, subject: nameOf(path) })).isStored;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
