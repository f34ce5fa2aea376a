import type { Snapshot } from 'valtio';
import { nameOf } from '#app/state/session.ts';
import { Button } from '#app/ui/button.tsx';
import { Modal } from '#app/ui/overlay/modal.tsx';
import type { User } from '#contract/entities/user.ts';

interface Props {
  user: Snapshot<User>;
  onClose: () => void;
}

/** Somebody who has an account opened an invitation, which stays good for another person. */
export function InvitedAlready({ user, onClose }: Props) {
  return (
    <Modal
      title="Invitation"
      sentence={
        <>
          You are signed in as <bdi>{nameOf(user)}</bdi> already. The invitation was not used: it is for somebody
          without an account.
        </>
      }
      size="small"
      onClose={onClose}
    >
      <Button label="Close" isBlock onPress={onClose} />
    </Modal>
  );
}
