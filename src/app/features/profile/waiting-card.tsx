import { useEffect } from 'react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { proxy, subscribe } from 'valtio/vanilla';
import { discardAllChanges, discardChange, retryChange, sendNow } from '#app/state/outbox/outbox-actions.ts';
import { startOutbox } from '#app/state/outbox/outbox-session.ts';
import { outbox } from '#app/state/outbox/outbox-state.ts';
import { watchViewer } from '#app/state/viewer-cache.ts';
import { Button } from '#app/ui/button.tsx';
import type { Outcome } from '#app/ui/card.tsx';
import { Card, Notice, Row } from '#app/ui/card.tsx';
import { ConfirmDialog } from '#app/ui/dialogs.tsx';
import { countText, languageName, momentOf } from '#app/ui/texts.ts';
import { confirmations } from '#contract/confirmations.ts';
import { failures } from '#contract/failures.ts';
import { notices } from '#contract/notices.ts';
import { durationText } from '#contract/rules/text.ts';
import type { OutboxEntry } from '#device/outbox-entry.ts';
import { shuffleChoices } from './settings-choices.tsx';
import styles from './waiting-card.module.css';

/** The changes made offline and those that the server refused. Nothing is rendered without any. */
export function WaitingCard() {
  const { entries, isLasting } = useSnapshot(outbox);
  const { isSending, isAsking, notice } = useSnapshot(waitingChanges);
  useEffect(startOutbox, []);
  useEffect(() => subscribe(outbox, forgetFailure), []);
  useEffect(() => resetWaitingChanges, []);
  const isOutdated = notice?.kind === 'ok' && entries.length > 0;
  if (entries.length === 0 && notice === null) return null;
  return (
    <Card title="Waiting changes" foot={entries.length > 0 && <Foot isSending={isSending} />}>
      {!isLasting && <p className={styles.hint}>{notices.changesEndWithPage}</p>}
      <ul className={styles.list} data-focus-region>
        {entries.map((entry) => (
          <ChangeRow key={entry.number} entry={entry} />
        ))}
      </ul>
      <Notice notice={isOutdated ? null : notice} />
      {isAsking && (
        <ConfirmDialog
          title="Discard all"
          sentence={confirmations.discardChanges}
          action="Discard all"
          onConfirm={() => void discardWaiting()}
          onClose={cancelDiscard}
        />
      )}
    </Card>
  );
}

function Foot({ isSending }: { isSending: boolean }) {
  return (
    <div className={styles.foot}>
      <Button
        kind="line"
        label={isSending ? 'Sending...' : 'Send now'}
        isDisabled={isSending}
        onPress={() => void sendWaiting()}
      />
      <Button kind="danger" label="Discard all" onPress={askToDiscard} />
    </div>
  );
}

function ChangeRow({ entry }: { entry: Snapshot<OutboxEntry> }) {
  const words = wordsOf(entry as OutboxEntry);
  return (
    <Row label={words} value={stateOf(entry)}>
      <div className={styles.buttons}>
        {entry.state === 'refused' && (
          <Button kind="line" label="Try again" name={`Try again: ${words}`} onPress={() => void retryChange(entry)} />
        )}
        <Button
          kind="line"
          label="Discard"
          name={`Discard: ${words}`}
          isDisabled={entry.state === 'sending'}
          onPress={() => void discardChange(entry)}
        />
      </div>
    </Row>
  );
}

function stateOf({ state, refusal, createdAt }: Snapshot<OutboxEntry>): string {
  if (state === 'refused') return `Refused: ${refusal}`;
  if (state === 'sending') return 'Sending...';
  return `Waiting · Made ${momentOf(new Date(createdAt).toISOString())}`;
}

interface WaitingChangesState {
  isSending: boolean;
  /** Whether the confirmation of discarding all changes is open. */
  isAsking: boolean;
  notice: Outcome | null;
}

const initial = { isSending: false, isAsking: false, notice: null };

const waitingChanges = proxy<WaitingChangesState>({ ...initial });

async function sendWaiting(): Promise<void> {
  if (waitingChanges.isSending) return;
  Object.assign(waitingChanges, { isSending: true, notice: null });
  const isSame = watchViewer();
  const isAllSent = await sendNow();
  if (!isSame()) return;
  Object.assign(waitingChanges, {
    isSending: false,
    notice: isAllSent
      ? { kind: 'ok', sentence: notices.changesSent }
      : { kind: 'danger', sentence: failures.changesNotSent },
  });
}

/** Drops the failure once the changes that it was about were sent later, or discarded. */
function forgetFailure(): void {
  const isOver = outbox.entries.length === 0;
  if (isOver && waitingChanges.notice?.kind === 'danger') waitingChanges.notice = null;
}

function askToDiscard(): void {
  waitingChanges.isAsking = true;
}

function cancelDiscard(): void {
  waitingChanges.isAsking = false;
}

async function discardWaiting(): Promise<void> {
  await discardAllChanges();
  Object.assign(waitingChanges, initial);
}

function resetWaitingChanges(): void {
  Object.assign(waitingChanges, initial);
}

type Change = Pick<OutboxEntry, 'call' | 'params' | 'body' | 'subject'>;

/** Describes a waiting change to its owner (§2 Profile). */
function wordsOf({ call, params, body, subject }: Change): string {
  const facts = (body ?? {}) as { name?: string; blocked_tag_ids?: string[]; settings?: SettingsChange };
  switch (call) {
    case 'createTag':
      return `New channel: ${facts.name}`;
    case 'updateTag':
      return named('Channel changed', subject ?? facts.name);
    case 'deleteTag':
      return named('Channel deleted', subject);
    case 'assignTags':
      return named('Channels of a video', subject ?? params?.path);
    case 'removeTag':
      return named('Channel taken off a video', subject ?? params?.path);
    case 'addFavourite':
      return named('Added to Favourites', subject);
    case 'removeFavourite':
      return named('Removed from Favourites', subject);
    case 'updateBlocklist':
      return `Blocklist: ${countText(facts.blocked_tag_ids?.length ?? 0, 'channel')}`;
    case 'updateProfile':
      return settingWords(facts.settings ?? {});
  }
}

interface SettingsChange {
  skip_duration_seconds?: number;
  shortcut_keys?: boolean;
  subtitle_language?: string | null;
  shuffle?: string;
}

function settingWords(change: SettingsChange): string {
  const { skip_duration_seconds: seconds, shortcut_keys: areShortcutsOn, subtitle_language: language } = change;
  const chosen = shuffleChoices.find(({ value }) => value === change.shuffle);
  if (seconds !== undefined) return `Skip duration: ${durationText(seconds)}`;
  if (language) return `Subtitles: ${languageName(language)}`;
  if (language !== undefined) return 'Subtitles off';
  if (chosen) return `Shuffle: ${chosen.label}`;
  return `Keyboard shortcuts ${areShortcutsOn ? 'on' : 'off'}`;
}

function named(act: string, name: string | null | undefined): string {
  return name ? `${act}: ${name}` : act;
}
