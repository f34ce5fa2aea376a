import { useEffect } from 'react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { discardChange, retryChange } from '#app/state/outbox/outbox-actions.ts';
import { startOutbox } from '#app/state/outbox/outbox-session.ts';
import { outbox } from '#app/state/outbox/outbox-state.ts';
import { Button } from '#app/ui/button.tsx';
import { Card } from '#app/ui/card/card.tsx';
import { Notice } from '#app/ui/card/notice.tsx';
import { Row } from '#app/ui/card/row.tsx';
import { ConfirmDialog } from '#app/ui/overlay/confirm-dialog.tsx';
import { momentOf } from '#app/ui/time-text.ts';
import * as confirmations from '#contract/confirmations.ts';
import { changesEndWithPage } from '#contract/notices.ts';
import type { OutboxEntry } from '#device/outbox-entry.ts';
import { wordsOf } from './change-words.ts';
import styles from './waiting-card.module.css';
import {
  askToDiscard,
  cancelDiscard,
  discardWaiting,
  resetWaitingChanges,
  sendWaiting,
  waitingChanges,
} from './waiting-store.ts';

/** What the user has changed without a network, or the server has refused; nothing where there is nothing to tell. */
export function WaitingCard() {
  const { entries, isLasting } = useSnapshot(outbox);
  const { isSending, isAsking, notice } = useSnapshot(waitingChanges);
  useEffect(startOutbox, []);
  useEffect(() => resetWaitingChanges, []);
  if (entries.length === 0 && notice === null) return null;
  return (
    <Card title="Waiting changes" foot={entries.length > 0 && <Foot isSending={isSending} />}>
      {!isLasting && <p className={styles.hint}>{changesEndWithPage}</p>}
      <ul className={styles.list} data-focus-region>
        {entries.map((entry) => (
          <ChangeRow key={entry.number} entry={entry} />
        ))}
      </ul>
      <Notice notice={notice} />
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
