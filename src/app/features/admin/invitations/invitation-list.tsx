import { Ban } from 'lucide-react';
import { useState } from 'react';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { Card } from '#app/ui/card/card.tsx';
import { TierBadge } from '#app/ui/card/tier-badge.tsx';
import { IconButton } from '#app/ui/icon-button.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { Pagination } from '#app/ui/list/pagination.tsx';
import type { Column } from '#app/ui/list/table.tsx';
import { Table } from '#app/ui/list/table.tsx';
import { ConfirmDialog } from '#app/ui/overlay/confirm-dialog.tsx';
import { dayOf } from '#app/ui/time-text.ts';
import * as confirmations from '#contract/confirmations.ts';
import type { Invitation } from '#contract/entities/account.ts';
import { tierBadges } from '#contract/rules/tiers.ts';
import shared from '../section.module.css';
import { invitations, isOpen, revoke } from './invitations-store.ts';

const columns: readonly Column<Invitation>[] = [
  { title: 'Plan', inList: 'name', cell: ({ tier }) => <TierBadge tier={tier} words={tierBadges[tier]} /> },
  { title: 'State', inList: 'fact', cell: (invitation) => <bdi>{stateOf(invitation)}</bdi> },
  { title: 'Made', inList: 'nowhere', cell: ({ created_at }) => dayOf(created_at) },
  { title: 'By', inList: 'nowhere', cell: ({ created_by }) => <bdi>{created_by ?? 'A deleted account'}</bdi> },
];

/** The invitations that are open, and those that were used or have expired lately. */
export function InvitationList() {
  const state = useSnapshot(invitations.state);
  const { isReachable } = useSnapshot(connection);
  const [asked, setAsked] = useState<string | null>(null);
  const confirm = () => {
    setAsked(null);
    if (asked !== null) void revoke(asked);
  };
  const revokeButton = (invitation: Invitation) =>
    isOpen(invitation) && (
      <IconButton
        label={`Revoke ${nameOf(invitation)}`}
        icon={<Ban aria-hidden="true" />}
        isDisabled={!isReachable}
        onPress={() => setAsked(invitation.id)}
      />
    );
  return (
    <Card title="Invitations">
      <ListBody
        face={faceOf(state)}
        failure={state.failure}
        onRetry={() => void invitations.reload()}
        empty={<p className={shared.empty}>No invitations yet. A link that you make is listed here.</p>}
      >
        <Table
          label="Invitations"
          columns={columns}
          rows={state.items}
          idOf={({ id }) => id}
          nameOf={nameOf}
          actions={revokeButton}
          isBusy={state.isLoading}
        />
      </ListBody>
      <Pagination page={state.page} lastPage={state.lastPage} onGo={(page) => invitations.goTo(page)} />
      {asked !== null && (
        <ConfirmDialog
          title="Revoke Invitation"
          sentence={confirmations.revokeInvitation}
          action="Revoke"
          onConfirm={confirm}
          onClose={() => setAsked(null)}
        />
      )}
    </Card>
  );
}

function nameOf({ tier, created_at }: Invitation): string {
  return `the invitation to ${tierBadges[tier]} of ${dayOf(created_at)}`;
}

function stateOf(invitation: Invitation): string {
  const { used_at, used_by, expires_at } = invitation;
  if (used_at !== null) return `Used by ${used_by ?? 'a deleted account'} on ${dayOf(used_at)}`;
  return isOpen(invitation) ? `Open until ${dayOf(expires_at)}` : `Expired on ${dayOf(expires_at)}`;
}
