import { useEffect, useRef } from 'react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { focusOn } from '#app/platform/input/focus-scopes.ts';
import { currentInput } from '#app/platform/input/screen-form.ts';
import { session } from '#app/state/session.ts';
import { claimBlocklistVisit } from '#app/state/view-requests.ts';
import { Button } from '#app/ui/button.tsx';
import { Card } from '#app/ui/card/card.tsx';
import { Notice } from '#app/ui/card/notice.tsx';
import { Swatch } from '#app/ui/card/swatch.tsx';
import { CheckRow } from '#app/ui/form/check-row.tsx';
import { TagChoices } from '#app/ui/list/tag-choices.tsx';
import { ConfirmDialog } from '#app/ui/overlay/confirm-dialog.tsx';
import * as confirmations from '#contract/confirmations.ts';
import type { Tag } from '#contract/entities/tag.ts';
import styles from './blocklist-card.module.css';
import {
  askToUnblockAll,
  blocklist,
  cancelUnblockAll,
  channels,
  resetBlocklist,
  setBlocked,
  shownBlocklist,
  unblockAll,
} from './blocklist-store.ts';

/** The blocklist. Profile starts at it when it was opened for it; on touch without the keyboard. */
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

/** Channels that are shown nowhere to this user (§2 Profile). A check is saved at once. */
function Blocklist() {
  const state = useSnapshot(blocklist);
  const viewer = useSnapshot(session);
  const blocked = shownBlocklist(state, viewer);
  useEffect(() => channels.open(), []);
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
  return (
    <TagChoices
      list={channels}
      noun="channels"
      searchLabel="Search channels..."
      empty={(isSearched) => (isSearched ? 'No channels match your search' : 'No channels available')}
      className={styles.list}
    >
      {(channel) => <ChannelRow channel={channel} isBlocked={blocked.includes(channel.id)} />}
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
