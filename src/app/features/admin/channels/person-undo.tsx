import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { Button } from '#app/ui/button.tsx';
import { Notice } from '#app/ui/card/notice.tsx';
import { FormDialog } from '#app/ui/form/form-dialog.tsx';
import { Select } from '#app/ui/form/select.tsx';
import { TextField } from '#app/ui/form/text-field.tsx';
import * as confirmations from '#contract/confirmations.ts';
import { limits } from '#contract/limits.ts';
import type { PersonUndoHours } from '#contract/rules/tag.ts';
import { personUndoHours, personUndoSpans } from '#contract/rules/tag.ts';
import { changeActions, closePersonUndo, openPersonUndo, personForm, personQuestion } from './changes-store.ts';

const spanOptions = personUndoHours.map((hours) => ({
  value: String(hours),
  label: personUndoSpans[hours].replace(/^t/, 'T'),
}));

/** Undoes all that one person did to channels: who and since when, and then a question. */
export function PersonUndo() {
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
