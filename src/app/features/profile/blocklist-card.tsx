import { useEffect, useRef } from 'react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { proxy } from 'valtio/vanilla';
import { focusOn } from '#app/platform/input/focus-scopes.ts';
import { currentInput } from '#app/platform/input/screen-form.ts';
import { createChannelList } from '#app/state/channels.ts';
import { sendOrStore } from '#app/state/outbox/outbox-actions.ts';
import { applySettings, onOutboxSent } from '#app/state/outbox/outbox-state.ts';
import type { BlocklistOwner } from '#app/state/session.ts';
import { blockedTagIds, session } from '#app/state/session.ts';
import { claimBlocklistVisit } from '#app/state/view-requests.ts';
import { Swatch } from '#app/ui/badge.tsx';
import { Button } from '#app/ui/button.tsx';
import type { Outcome } from '#app/ui/card.tsx';
import { Card, Notice } from '#app/ui/card.tsx';
import { ConfirmDialog } from '#app/ui/dialogs.tsx';
import { CheckRow } from '#app/ui/form/check-row.tsx';
import { TagChoices } from '#app/ui/list/tag-choices.tsx';
import { confirmations } from '#contract/confirmations.ts';
import type { Tag } from '#contract/entities/tag.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { notices } from '#contract/notices.ts';
import { checkBlocklistSize } from '#contract/rules/tag-filter.ts';
import { NotStored } from '#device/outbox-entry.ts';
import { after } from '#device/timers.ts';
import styles from './blocklist-card.module.css';

/**
 * The blocklist. When Profile was opened for it, it takes the focus; on touch without opening the
 * keyboard.
 */
export function BlocklistCard() {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!place.current || !claimBlocklistVisit()) return;
    place.current.scrollIntoView();
    const search = place.current.querySelector('input');
    if (search && currentInput() !== 'touch') focusOn(search);
  }, []);
  return (
    <div ref={place}>
      <Blocklist />
    </div>
  );
}

/** The channels that are hidden everywhere for this user (§2 Profile). A check is saved at once. */
function Blocklist() {
  const state = useSnapshot(blocklist);
  const viewer = useSnapshot(session);
  const blocked = shownBlocklist(state, viewer);
  useEffect(() => channels.open(), []);
  useEffect(() => onOutboxSent(forgetWaiting), []);
  useEffect(() => resetBlocklist, []);
  return (
    <Card
      title="Channel Blocklist"
      end={<Button kind="quiet" label="Unblock all" isDisabled={blocked.length === 0} onPress={askToUnblockAll} />}
    >
      <p className={styles.hint}>Videos of a blocked channel are shown nowhere. {countOf(blocked)}</p>
      <Channels blocked={blocked} />
      <Notice notice={state.notice} />
      {state.isAsking && (
        <ConfirmDialog
          title="Unblock all"
          sentence={confirmations.unblockAll}
          action="Unblock all"
          busy="Unblocking..."
          isBusy={state.isSending}
          isFinal={false}
          onConfirm={() => void unblockAll()}
          onClose={cancelUnblockAll}
        />
      )}
    </Card>
  );
}

function Channels({ blocked }: { blocked: readonly string[] }) {
  // Each look into the list of a snapshot is recorded, so hundreds of rows look into a copy.
  const ids = new Set(blocked);
  return (
    <TagChoices
      list={channels}
      noun="channels"
      searchLabel="Search channels..."
      empty={(isSearched) => (isSearched ? 'No channels match your search' : 'No channels available')}
      className={styles.list}
    >
      {(channel) => <ChannelRow channel={channel} isBlocked={ids.has(channel.id)} />}
    </TagChoices>
  );
}

interface RowProps {
  channel: Snapshot<Tag>;
  isBlocked: boolean;
}

function ChannelRow({ channel: { id, name, color }, isBlocked }: RowProps) {
  return (
    <CheckRow
      label={name}
      isOn={isBlocked}
      start={<Swatch color={color} />}
      end={isBlocked && 'Blocked'}
      onChange={(isOn) => void setBlocked(id, isOn)}
    />
  );
}

function countOf({ length }: readonly string[]): string {
  if (length === 0) return 'None is blocked.';
  return length === 1 ? '1 channel is blocked.' : `${length} channels are blocked.`;
}

interface BlocklistState {
  /** The list being sent, which is shown instead of the saved one. Null: the saved one is shown. */
  wanted: readonly string[] | null;
  /** Whether all channels were unblocked since a list was last sent, those of other devices too. */
  isCleared: boolean;
  isSending: boolean;
  /** Whether the confirmation of unblocking all channels is open. */
  isAsking: boolean;
  notice: Outcome | null;
}

const initial = { wanted: null, isCleared: false, isSending: false, isAsking: false, notice: null };

const blocklist = proxy<BlocklistState>({ ...initial });

/** Blocked channels are listed first; their order stays until the list is loaded again. */
const channels = createChannelList(failures.loadChannels, undefined, shownBlocklist);

let cancelFading = () => {};

/** The checked channels: the list being saved, else the saved one. */
function shownBlocklist(
  { wanted }: { readonly wanted: readonly string[] | null } = blocklist,
  viewer: BlocklistOwner = session,
): readonly string[] {
  return wanted ?? blockedTagIds(viewer);
}

/**
 * Shows a change at once and rolls it back when the server refuses. Changes made during a call are
 * sent together after it.
 */
async function setBlocked(id: string, isBlocked: boolean): Promise<void> {
  const others = shownBlocklist().filter((one) => one !== id);
  const wanted = isBlocked ? [...others, id] : others;
  const refusal = checkBlocklistSize(wanted);
  if (refusal !== null) show({ kind: 'danger', sentence: refusal });
  else await save(wanted, { done: notices.blocklistUpdated, failed: failures.saveBlocklist });
}

function askToUnblockAll(): void {
  blocklist.isAsking = true;
}

function cancelUnblockAll(): void {
  blocklist.isAsking = false;
}

async function unblockAll(): Promise<void> {
  blocklist.isCleared = true;
  await save([], { done: notices.allUnblocked, failed: failures.clearBlocklist });
  blocklist.isAsking = false;
}

function resetBlocklist(): void {
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
    if (isOwn()) Object.assign(blocklist, { wanted: null, isCleared: false, isSending: false });
  }
}

/**
 * Sends the wanted list, and the one that it was made from, until no newer one was chosen during
 * the call. The server's reply becomes the saved list.
 * @returns whether the last list waits for the network
 */
async function sendWanted(isOwn: () => boolean): Promise<boolean> {
  let isStored = false;
  let last: readonly string[] = blockedTagIds();
  while (isOwn() && blocklist.wanted !== null && blocklist.wanted !== last) {
    const known = blocklist.isCleared ? {} : { known: [...last] };
    last = blocklist.wanted;
    blocklist.isCleared = false;
    const body = { blocked_tag_ids: [...last], ...known };
    const sent = await sendOrStore('updateBlocklist', { body });
    isStored = sent.isStored;
    if (isOwn() && !sent.isStored) applySettings({ blocked_tag_ids: sent.reply.blocked_tag_ids });
  }
  return isStored;
}

/** Drops the notice of a waiting change once none waits: it was sent, discarded or refused. */
function forgetWaiting(): void {
  if (blocklist.notice?.kind === 'waits') show(null);
}

/** Shows a notice. A success fades after a while. */
function show(notice: BlocklistState['notice']): void {
  cancelFading();
  blocklist.notice = notice;
  if (notice?.kind === 'ok') cancelFading = after(limits.successMessageSeconds * 1000, () => show(null));
}
