import { useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { Card } from '#app/ui/card/card.tsx';
import { Notice } from '#app/ui/card/notice.tsx';
import { countText } from '#app/ui/count-text.ts';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { Pagination } from '#app/ui/list/pagination.tsx';
import { Skeleton } from '#app/ui/loading/skeleton.tsx';
import { ConfirmDialog } from '#app/ui/overlay/confirm-dialog.tsx';
import * as confirmations from '#contract/confirmations.ts';
import type { TagChangeRecord } from '#contract/entities/tag.ts';
import { limits } from '#contract/limits.ts';
import shared from '../section.module.css';
import { ChangeRow } from './change-row.tsx';
import { changeText, isUnderWay } from './change-words.ts';
import { changeActions, changes, undoChange, watchChanges } from './changes-store.ts';
import { PersonUndo } from './person-undo.tsx';

/** What was done to channels, and its way back. */
export function ChangeList() {
  const state = useSnapshot(changes.state);
  const { undoRefusal } = useSnapshot(changeActions);
  const [asked, setAsked] = useState<TagChangeRecord | null>(null);
  useEffect(() => changes.open(), []);
  const isWatched = state.items.some(isUnderWay);
  useEffect(() => (isWatched ? watchChanges() : undefined), [isWatched]);
  const confirm = () => {
    setAsked(null);
    if (asked) void undoChange(asked.id);
  };
  return (
    <Card title="Changes">
      <ListBody
        face={faceOf(state)}
        failure={state.failure}
        onRetry={() => void changes.reload()}
        skeleton={<Skeleton className={shared.waiting} />}
        empty={
          <p className={shared.empty}>
            {`Nothing was done yet. Removed and merged channels and imports are listed here, and can be undone for ${limits.tagChangeDays} days.`}
          </p>
        }
      >
        <ul aria-label="Changes" aria-busy={state.isLoading}>
          {state.items.map((change) => (
            <ChangeRow key={change.id} change={change} onUndo={() => setAsked(change)} />
          ))}
        </ul>
      </ListBody>
      <PersonUndo />
      <Notice notice={undoRefusal === null ? null : { kind: 'danger', sentence: undoRefusal }} />
      <Pagination
        page={state.page}
        lastPage={state.lastPage}
        onGo={(page) => changes.goTo(page)}
        note={countText(state.total ?? 0, 'change')}
      />
      {asked && (
        <ConfirmDialog
          title="Undo"
          sentence={confirmations.undoTagChange(changeText(asked))}
          action="Undo"
          onConfirm={confirm}
          onClose={() => setAsked(null)}
        />
      )}
    </Card>
  );
}
