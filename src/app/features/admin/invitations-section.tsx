import { Ban } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { focusOn } from '#app/platform/input/focus-scopes.ts';
import { copyTextOf, shareSheet } from '#app/platform/later-capabilities.ts';
import { connection } from '#app/state/connection.ts';
import { TierBadge } from '#app/ui/badge.tsx';
import { Button, IconButton } from '#app/ui/button.tsx';
import { Card, Notice } from '#app/ui/card.tsx';
import { ConfirmDialog } from '#app/ui/dialogs.tsx';
import { readRefusal } from '#app/ui/form/form.ts';
import { Select } from '#app/ui/form/select.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { createPagedList } from '#app/ui/list/paged-list.ts';
import { Pagination } from '#app/ui/list/pagination.tsx';
import type { Column } from '#app/ui/list/table.tsx';
import { Table } from '#app/ui/list/table.tsx';
import { QrCode } from '#app/ui/qr-code.tsx';
import { dayOf } from '#app/ui/texts.ts';
import { confirmations } from '#contract/confirmations.ts';
import { createInvitation, listInvitations, revokeInvitation } from '#contract/endpoints.ts';
import type { Invitation, InvitationLink } from '#contract/entities/account.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { tierBadges } from '#contract/rules/plans.ts';
import type { InvitedTier } from '#contract/rules/tiers.ts';
import { invitedTiers } from '#contract/rules/tiers.ts';
import { now } from '#device/timers.ts';
import styles from './invitations-section.module.css';
import shared from './section.module.css';

/** Invitation links, which work even while registration is closed. */
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

const plans = invitedTiers.map((tier) => ({ value: tier, label: tierBadges[tier] }));

/** Creates a link and shows it until it is closed or the section is left. */
function InvitationMaker() {
  const { tier, usual, isBusy, link, refusal } = useSnapshot(invitationMaker);
  const { isReachable } = useSnapshot(connection);
  return (
    <Card title="Invite Somebody">
      <p className={shared.quiet}>
        A link lets one person make an account, also where registration is closed. It is good for{' '}
        {limits.invitationDays} days.
      </p>
      <div className={`${shared.buttons} ${styles.controls}`}>
        <div className={styles.plan}>
          <Select label="Plan" options={plans} value={tier ?? usual} onChange={chooseTier} />
        </div>
        <Button
          label={isBusy ? 'Making...' : 'Make a Link'}
          isDisabled={!isReachable}
          onPress={() => void makeInvitation()}
        />
      </div>
      {!isReachable && <p className={shared.quiet}>Needs a connection</p>}
      <Notice notice={refusal === null ? null : { kind: 'danger', sentence: refusal }} />
      {link && <InvitationLinkPanel key={link.id} link={link} />}
    </Card>
  );
}

interface Props {
  link: Snapshot<NonNullable<InvitationMakerState['link']>>;
}

const outcomes = {
  copied: { kind: 'ok', sentence: 'Link copied.' },
  'not-copied': { kind: 'danger', sentence: 'The link could not be copied. Select it and copy it yourself.' },
} as const;

/** A new link, to scan, copy or share. */
function InvitationLinkPanel({ link: { url, tier, expires_at } }: Props) {
  const [outcome, setOutcome] = useState<keyof typeof outcomes | null>(null);
  const address = useRef<HTMLParagraphElement>(null);
  const copyButton = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (copyButton.current) focusOn(copyButton.current);
  }, []);
  const copy = async () => {
    if (address.current) setOutcome((await copyTextOf(address.current)) ? 'copied' : 'not-copied');
  };
  const share = shareSheet();
  return (
    <div className={styles.panel}>
      <QrCode text={url} label="QR code of the invitation" className={styles.qr} />
      <div className={styles.words}>
        <p ref={address} className={styles.address}>
          {url}
        </p>
        <p className={styles.facts}>
          Works once, until {dayOf(expires_at)}. Plan: {tierBadges[tier]}. It is shown this once.
        </p>
        <div className={shared.buttons}>
          <Button ref={copyButton} kind="line" label="Copy link" onPress={() => void copy()} />
          {share && <Button kind="line" label="Share" onPress={() => void share({ url })} />}
          <Button kind="quiet" label="Done" onPress={closeLink} />
        </div>
        <Notice notice={outcome && outcomes[outcome]} />
      </div>
    </div>
  );
}

const columns: readonly Column<Invitation>[] = [
  { title: 'Plan', inList: 'name', cell: ({ tier }) => <TierBadge tier={tier} words={tierBadges[tier]} /> },
  { title: 'State', inList: 'fact', cell: (invitation) => <bdi>{stateOf(invitation)}</bdi> },
  { title: 'Made', inList: 'nowhere', cell: ({ created_at }) => dayOf(created_at) },
  { title: 'By', inList: 'nowhere', cell: ({ created_by }) => <bdi>{created_by ?? 'A deleted account'}</bdi> },
];

/** The open invitations, and the recently used or expired ones. */
function InvitationList() {
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

interface InvitationMakerState {
  /** The plan that was chosen; null: the usual one. */
  tier: InvitedTier | null;
  usual: InvitedTier;
  isBusy: boolean;
  /** The link created last. Its address cannot be read again. */
  link: (InvitationLink & { tier: InvitedTier }) | null;
  /** Why a link could not be created or an invitation could not be revoked. */
  refusal: string | null;
}

const nothing = { tier: null, usual: 'basic', isBusy: false, link: null, refusal: null } as const;

/** Aborted when the section is left: a link that comes later is shown to nobody. */
let opened = new AbortController();

export const invitationMaker = proxy<InvitationMakerState>({ ...nothing });

/** The list of invitations. The server sends all of them at once; the pages are cut here. */
export const invitations = createPagedList<Invitation, object>({
  limit: limits.usersPerPage,
  filters: {},
  load: async ({ page }, signal) => {
    const { invitations: all, usual_tier: usual } = await call(listInvitations, { signal });
    invitationMaker.usual = usual;
    const from = (page - 1) * limits.usersPerPage;
    return { items: all.slice(from, from + limits.usersPerPage), total: all.length };
  },
  idOf: ({ id }) => id,
  toSentence: failures.loadInvitations,
});

export function chooseTier(tier: InvitedTier): void {
  invitationMaker.tier = tier;
}

export async function makeInvitation(): Promise<void> {
  if (invitationMaker.isBusy) return;
  const { signal } = opened;
  const tier = invitationMaker.tier ?? invitationMaker.usual;
  Object.assign(invitationMaker, { isBusy: true, refusal: null });
  const outcome = await call(createInvitation, { body: { tier } }).then(
    (link) => ({ link: { ...link, tier } }),
    (error: unknown) => ({ refusal: readRefusal(error) }),
  );
  if ('link' in outcome) void invitations.reload();
  if (!signal.aborted) Object.assign(invitationMaker, { isBusy: false, ...outcome });
}

/** Hides the link. */
function closeLink(): void {
  invitationMaker.link = null;
}

/** Revokes an invitation, and hides the shown link if it belongs to it. */
export async function revoke(id: string): Promise<void> {
  invitationMaker.refusal = null;
  try {
    await invitations.remove(id, () => call(revokeInvitation, { params: { id } }));
    if (invitationMaker.link?.id === id) closeLink();
  } catch (error) {
    invitationMaker.refusal = readRefusal(error);
  }
}

export function resetInvitations(): void {
  opened.abort();
  opened = new AbortController();
  Object.assign(invitationMaker, nothing);
}

/** Whether an invitation can be used. Expired ones stay in the list for some days. */
export function isOpen({ used_at, expires_at }: Pick<Invitation, 'used_at' | 'expires_at'>): boolean {
  return used_at === null && Date.parse(expires_at) > now();
}
