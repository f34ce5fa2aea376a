import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { after } from '#app/platform/timers.ts';
import { applyUser } from '#app/state/account.ts';
import type { BlocklistOwner } from '#app/state/channels/blocklist.ts';
import { blockedTagIds } from '#app/state/channels/blocklist.ts';
import { createChannelList } from '#app/state/channels/channel-list.ts';
import { session } from '#app/state/session.ts';
import { updateBlocklist } from '#contract/endpoints.ts';
import * as failures from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import * as notices from '#contract/notices.ts';
import { checkBlocklistSize } from '#contract/rules/tag-lists.ts';

interface BlocklistState {
  /** The wanted list while it is being sent, shown in place of the saved one; null: the saved one is shown. */
  wanted: readonly string[] | null;
  isSending: boolean;
  /** The question before all channels are unblocked. */
  isAsking: boolean;
  notice: { kind: 'ok' | 'danger'; sentence: string } | null;
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
    await sendWanted(isOwn);
    if (isOwn()) show({ kind: 'ok', sentence: done });
  } catch {
    if (isOwn()) show({ kind: 'danger', sentence: failed });
  } finally {
    if (isOwn()) Object.assign(blocklist, { wanted: null, isSending: false });
  }
}

/** Until nothing newer is wanted. The reply is what the server stores. */
async function sendWanted(isOwn: () => boolean): Promise<void> {
  for (let sent: BlocklistState['wanted'] = null; isOwn() && blocklist.wanted !== sent; ) {
    sent = blocklist.wanted;
    if (sent === null) return;
    const reply = await call(updateBlocklist, { body: { blocked_tag_ids: [...sent] } });
    if (isOwn()) applyBlocklist(reply.blocked_tag_ids);
  }
}

function applyBlocklist(ids: string[]): void {
  const { user } = session;
  if (!user) return;
  applyUser({
    user: { ...user, settings: { ...user.settings, blocked_tag_ids: ids } },
    features: user.features,
  });
}

/** A success fades by itself. */
function show(notice: BlocklistState['notice']): void {
  cancelFading();
  blocklist.notice = notice;
  if (notice?.kind === 'ok') cancelFading = after(limits.successMessageSeconds * 1000, () => show(null));
}
