import { useEffect } from 'react';
import shared from '../section.module.css';
import { InvitationList } from './invitation-list.tsx';
import { InvitationMaker } from './invitation-maker.tsx';
import { invitations, resetInvitations } from './invitations-store.ts';

/** Links that let people in, also where registration is closed. */
export function InvitationsSection() {
  useEffect(() => invitations.open(), []);
  useEffect(() => resetInvitations, []);
  return (
    <div className={shared.section}>
      <InvitationMaker />
      <InvitationList />
    </div>
  );
}
