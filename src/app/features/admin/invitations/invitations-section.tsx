import { useEffect } from 'react';
import { InvitationList } from './invitation-list.tsx';
import { InvitationMaker } from './invitation-maker.tsx';
import styles from './invitations-section.module.css';
import { invitations, resetInvitations } from './invitations-store.ts';

/** Links that let people in, also where registration is closed. */
export function InvitationsSection() {
  useEffect(() => invitations.open(), []);
  useEffect(() => resetInvitations, []);
  return (
    <div className={styles.section}>
      <InvitationMaker />
      <InvitationList />
    </div>
  );
}
