import { useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { Badge } from '#app/ui/badge.tsx';
import { Button } from '#app/ui/button.tsx';
import { Card, Notice } from '#app/ui/card.tsx';
import { ConfirmDialog, FormDialog } from '#app/ui/dialogs.tsx';
import { Select } from '#app/ui/form/select.tsx';
import { TextField } from '#app/ui/form/text-field.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { Pagination } from '#app/ui/list/pagination.tsx';
import { Skeleton } from '#app/ui/loading.tsx';
import { useBackLayer } from '#app/ui/store-hooks.ts';
import { countText, dayOf } from '#app/ui/texts.ts';
import { confirmations } from '#contract/confirmations.ts';
import type { TagChangeRecord } from '#contract/entities/tag.ts';
import { limits } from '#contract/limits.ts';
import type { PersonUndoHours, TagChangeKind } from '#contract/rules/tag.ts';
import { personUndoHours, personUndoSpans } from '#contract/rules/tag.ts';
import { now } from '#device/timers.ts';
import shared from '../section.module.css';
import type { Part } from '../section-parts.tsx';
import { EntryRow, Moment, Sentence } from '../section-parts.tsx';
import styles from './change-list.module.css';
import {
  changeActions,
  closePersonUndo,
  openPersonUndo,
  personForm,
  personQuestion,
  tagChanges,
  undoTagChange,
  watchChanges,
} from './changes-store.ts';

/** The recent changes to channels, each with a button to undo it. */
export function ChangeList() {
  const state = useSnapshot(tagChanges.state);
  const { undoRefusal } = useSnapshot(changeActions);
  const [asked, setAsked] = useState<TagChangeRecord | null>(null);
  useEffect(() => tagChanges.open(), []);
  const isWatched = state.items.some(isUnderWay);
  useEffect(() => (isWatched ? watchChanges() : undefined), [isWatched]);
  const confirm = () => {
    setAsked(null);
    if (asked) void undoTagChange(asked.id);
  };
  return (
    <Card title="Changes">
      <ListBody
        face={faceOf(state)}
        failure={state.failure}
        onRetry={() => void tagChanges.reload()}
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
        onGo={(page) => tagChanges.goTo(page)}
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

interface Props {
  change: TagChangeRecord;
  onUndo: () => void;
}

function ChangeRow({ change, onUndo }: Props) {
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

type Words = (subject: Part, detail: Part) => readonly Part[];

/** Words for changes that are finished or being undone. */
const doneWords: { readonly [Kind in TagChangeKind]: Words } = {
  removal: (subject) => ['Removed ', subject],
  merge: (subject, detail) => ['Merged ', subject, ' into ', detail],
  import: (subject) => ['Imported ', subject],
  person: (subject) => ['Undid what ', subject, ' did'],
  sidecars: () => ['Read tags from sidecar files'],
  details: (subject) => ['Changed the details of ', subject],
};

/** Words for changes that are running or failed. */
const openWords: { readonly [Kind in TagChangeKind]: Words } = {
  removal: (subject) => ['Removing ', subject],
  merge: (subject, detail) => ['Merging ', subject, ' into ', detail],
  import: (subject) => ['Importing ', subject],
  person: (subject) => ['Undoing what ', subject, ' did'],
  sidecars: () => ['Reading tags from sidecar files'],
  details: (subject) => ['Changing the details of ', subject],
};

/** The parts of a sentence such as 'Merged Alps into Mountains'. */
function changeSentence({ kind, state, subject, detail }: TagChangeRecord): readonly Part[] {
  const words = state === 'running' || state === 'failed' ? openWords : doneWords;
  return words[kind]({ name: subject }, { name: detail ?? 'another channel' });
}

export function changeText(change: TagChangeRecord): string {
  return changeSentence(change)
    .map((part) => (typeof part === 'string' ? part : part.name))
    .join('');
}

/** The extent of a change, such as '1 channel, 3,400 assignments'. */
function extentText({ kind, tags, links }: Pick<TagChangeRecord, 'kind' | 'tags' | 'links'>): string {
  if (kind === 'person') return `${countText(tags, 'channel')} removed, ${countText(links, 'change')} undone`;
  if (kind === 'details') return 'Title and description';
  return `${countText(tags, 'channel')}, ${countText(links, 'assignment')}`;
}

/** The badge of each state. Finished changes have none. */
const stateBadges: { readonly [State in TagChangeRecord['state']]: string | null } = {
  running: 'Running',
  undoing: 'Undoing',
  failed: 'Failed',
  undone: 'Undone',
  done: null,
};

function isUnderWay({ state }: Pick<TagChangeRecord, 'state'>): boolean {
  return state === 'running' || state === 'undoing';
}

/** Whether the change can be undone. Undoing a failed one takes back the part that was done. */
function isUndoable({ kind, state, expires_at }: Pick<TagChangeRecord, 'kind' | 'state' | 'expires_at'>): boolean {
  return kind !== 'person' && (state === 'done' || state === 'failed') && Date.parse(expires_at) > now();
}

const spanOptions = personUndoHours.map((hours) => ({
  value: String(hours),
  label: personUndoSpans[hours].replace(/^t/, 'T'),
}));

/** Undoes everything that one person did to channels: asks who and since when, then confirms. */
function PersonUndo() {
  const { personUndo, personUndoNotice } = useSnapshot(changeActions);
  const { isReachable } = useSnapshot(connection);
  return (
    <>
      <div>
        <Button kind="line" label="Undo a person's changes" isDisabled={!isReachable} onPress={openPersonUndo} />
      </div>
      <Notice notice={personUndoNotice} />
      {personUndo === 'person' && <PersonDialog isOffline={!isReachable} />}
      {personUndo === 'question' && <Question isOffline={!isReachable} />}
    </>
  );
}

function PersonDialog({ isOffline }: { isOffline: boolean }) {
  useBackLayer(closePersonUndo);
  return (
    <FormDialog
      form={personForm}
      title="Undo a person's changes"
      action="Continue"
      busy="Continue"
      isOffline={isOffline}
      onClose={closePersonUndo}
    >
      {(field) => (
        <>
          <TextField
            {...field('username')}
            label="Username"
            name="username"
            autoComplete="off"
            autoCapitalize="none"
            maxLength={limits.usernameMaxCharacters}
          />
          <Select {...field('hours')} label="Since" options={spanOptions} />
        </>
      )}
    </FormDialog>
  );
}

function Question({ isOffline }: { isOffline: boolean }) {
  useBackLayer(closePersonUndo);
  const { username, hours } = useSnapshot(personForm.state).values;
  return (
    <FormDialog
      form={personQuestion}
      title="Undo Everything"
      sentence={confirmations.undoPersonTagChanges(username.trim(), personUndoSpans[Number(hours) as PersonUndoHours])}
      action="Undo Everything"
      busy="Undoing..."
      isFinal
      isOffline={isOffline}
      onClose={closePersonUndo}
    />
  );
}
