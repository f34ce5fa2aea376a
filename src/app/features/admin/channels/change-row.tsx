import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { Button } from '#app/ui/button.tsx';
import { Badge } from '#app/ui/card/badge.tsx';
import { dayOf } from '#app/ui/time-text.ts';
import type { TagChangeRecord } from '#contract/entities/tag.ts';
import { EntryRow } from '../entry-row.tsx';
import { Moment } from '../moment.tsx';
import { Sentence } from '../sentence.tsx';
import { changeSentence, changeText, extentText, isUndoable, stateBadges } from './change-words.ts';
import styles from './channels-section.module.css';

interface Props {
  change: TagChangeRecord;
  onUndo: () => void;
}

export function ChangeRow({ change, onUndo }: Props) {
  const { isReachable } = useSnapshot(connection);
  const { state, made_by, created_at, expires_at, error } = change;
  const canUndo = isUndoable(change);
  return (
    <EntryRow
      label={<Label change={change} />}
      actions={
        canUndo && (
          <Button
            kind="line"
            label="Undo"
            name={`Undo: ${changeText(change)}`}
            isDisabled={!isReachable}
            onPress={onUndo}
          />
        )
      }
    >
      {(state === 'failed' || error !== null) && (
        <p className={styles.reason}>
          <bdi>{error ?? 'It gave no reason.'}</bdi>
        </p>
      )}
      <p>
        <Moment time={created_at} /> by {made_by === null ? 'a deleted account' : <bdi>{made_by}</bdi>}
      </p>
      <p>
        {extentText(change)}
        {canUndo && `. Can be undone until ${dayOf(expires_at)}`}
      </p>
    </EntryRow>
  );
}

function Label({ change }: { change: TagChangeRecord }) {
  const badge = stateBadges[change.state];
  return (
    <span className={styles.label}>
      <span className={styles.sentence}>
        <Sentence parts={changeSentence(change)} />
      </span>
      {badge !== null && <Badge words={badge} colour={change.state === 'failed' ? styles.failed : undefined} />}
    </span>
  );
}
