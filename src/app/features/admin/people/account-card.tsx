import { useState } from 'react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { nameOf } from '#app/state/session.ts';
import { Button } from '#app/ui/button.tsx';
import { Card } from '#app/ui/card/card.tsx';
import { Row } from '#app/ui/card/row.tsx';
import { ConfirmDialog } from '#app/ui/overlay/confirm-dialog.tsx';
import * as confirmations from '#contract/confirmations.ts';
import type { Person } from './people-store.ts';
import { PersonNotice } from './person-notice.tsx';
import { deletePerson, endSessionsOf, isOwn } from './person-store.ts';

/** What ends something of a person, each after a question. */
export function AccountCard({ user }: { user: Snapshot<Person> }) {
  const { isReachable } = useSnapshot(connection);
  const [asked, setAsked] = useState<'sessions' | 'deletion' | null>(null);
  const close = () => setAsked(null);
  return (
    <Card title="Account">
      <ul>
        <Row label="Sessions" value="On every device">
          <Button kind="line" label="End All Sessions" isDisabled={!isReachable} onPress={() => setAsked('sessions')} />
        </Row>
        <Row label="Account" value="With everything but the uploads">
          <Button kind="danger" label="Delete Account" isDisabled={!isReachable} onPress={() => setAsked('deletion')} />
        </Row>
      </ul>
      <PersonNotice card="account" />
      {asked === 'sessions' && <EndSessions user={user} onClose={close} />}
      {asked === 'deletion' && <Delete user={user} onClose={close} />}
    </Card>
  );
}

interface QuestionProps {
  user: Snapshot<Person>;
  onClose: () => void;
}

function EndSessions({ user, onClose }: QuestionProps) {
  const confirm = () => {
    onClose();
    void endSessionsOf(user);
  };
  return (
    <ConfirmDialog
      title="End All Sessions"
      sentence={isOwn(user) ? confirmations.signOutEverywhere : confirmations.endUserSessions(nameOf(user))}
      action="End All Sessions"
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}

function Delete({ user, onClose }: QuestionProps) {
  const confirm = () => {
    onClose();
    void deletePerson(user);
  };
  return (
    <ConfirmDialog
      title="Delete Account"
      sentence={isOwn(user) ? confirmations.deleteAccount : confirmations.deleteUser(nameOf(user))}
      action="Delete Account"
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}
