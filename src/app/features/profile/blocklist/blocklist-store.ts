import { proxy } from 'valtio/vanilla';
import { after } from '#app/platform/timers.ts';
import type { BlocklistOwner } from '#app/state/blocklist.ts';
import { blockedTagIds } from '#app/state/blocklist.ts';
import { createChannelList } from '#app/state/channel-list.ts';
import { sendOrStore } from '#app/state/outbox/outbox-actions.ts';
import { applySettings } from '#app/state/outbox/outbox-state.ts';
import { session } from '#app/state/session.ts';
import type { Outcome } from '#app/ui/card/notice.tsx';
import * as failures from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import * as notices from '#contract/notices.ts';
import { checkBlocklistSize } from '#contract/rules/tag-lists.ts';
import { NotStored } from '#device/outbox-entry.ts';

interface BlocklistState {
  /** The wanted list while it is being sent, shown in place of the saved one; null: the saved one is shown. */
  wanted: readonly string[] | null;
  isSending: boolean;
  /** The question before all channels are unblocked. */
  isAsking: boolean;
  notice: Outcome | null;
}

const initial = { wanted: null, isSending: false, isAsking: false, notice: null };

export const blocklist = proxy<BlocklistState>({ ...initial });

export const channels = createChannelList();

let cancelFading = () => {};

/** The checked channels: those that are saved, or that are being saved. */
export function shownBlocklist(
  { wanted }: { readonly wanted: readonly string[] | null } = blocklist,
  viewer: BlocklistOwner = session,
): readonly string[] {
  return wanted ?? blockedTagIds(viewer);
}

/** Shown at once, and rolled back when the server refuses. Presses during a call are sent together after it. */
export async function setBlocked(id: string, isBlocked: boolean): Promise<void> {
  const others = shownBlocklist().filter((one) => one !== id);
  const wanted = isBlocked ? [...others, id] : others;
  const refusal = checkBlocklistSize(wanted);
  if (refusal !== null) show({ kind: 'danger', sentence: refusal });
  else await save(wanted, { done: notices.blocklistUpdated, failed: failures.saveBlocklist });
}

export function askToUnblockAll(): void {
  blocklist.isAsking = true;
}

export function cancelUnblockAll(): void {
  blocklist.isAsking = false;
}

export async function unblockAll(): Promise<void> {
  await save([], { done: notices.allUnblocked, failed: failures.clearBlocklist });
  blocklist.isAsking = false;
}

export function resetBlocklist(): void {
  show(null);
  Object.assign(blocklist, initial);
}

async function save(wanted: readonly string[], { done, failed }: { done: string; failed: string }): Promise<void> {
  show(null);
  blocklist.wanted = wanted;
  if (blocklist.isSending) return;
  const userId = session.user?.id;
  const isOwn = () => session.user?.id === userId;
  blocklist.isSending = true;
  try {
    const isStored = await sendWanted(isOwn);
    if (isOwn()) show(isStored ? { kind: 'waits', sentence: notices.changeWaits } : { kind: 'ok', sentence: done });
  } catch (error) {
    if (isOwn()) show({ kind: 'danger', sentence: error instanceof NotStored ? error.message : failed });
  } finally {
    if (isOwn()) Object.assign(blocklist, { wanted: null, isSending: false });
  }
}

/** Until nothing newer is wanted. The reply is what the server stores. @returns whether the last one waits */
async function sendWanted(isOwn: () => boolean): Promise<boolean> {
  let isStored = false;
  for (let last: BlocklistState['wanted'] = null; isOwn() && blocklist.wanted !== last; ) {
    last = blocklist.wanted;
    if (last === null) break;
    const sent = await sendOrStore('updateBlocklist', { body: { blocked_tag_ids: [...last] } });
    isStored = sent.isStored;
    if (isOwn() && !sent.isStored) applySettings({ blocked_tag_ids: sent.reply.blocked_tag_ids });
  }
  return isStored;
}

/** A success fades by itself. */
function show(notice: BlocklistState['notice']): void {
  cancelFading();
  blocklist.notice = notice;
  if (notice?.kind === 'ok') cancelFading = after(limits.successMessageSeconds * 1000, () => show(null));
}
