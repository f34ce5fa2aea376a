import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { Button } from '#app/ui/button.tsx';
import { Card } from '#app/ui/card/card.tsx';
import { Notice } from '#app/ui/card/notice.tsx';
import { Select } from '#app/ui/form/select.tsx';
import { limits } from '#contract/limits.ts';
import { invitedTiers } from '#contract/rules/plans.ts';
import { tierBadges } from '#contract/rules/tiers.ts';
import shared from '../section.module.css';
import { InvitationLinkPanel } from './invitation-link-panel.tsx';
import styles from './invitation-maker.module.css';
import { chooseTier, invitationMaker, makeInvitation } from './invitations-store.ts';

const plans = invitedTiers.map((tier) => ({ value: tier, label: tierBadges[tier] }));

/** Makes a link, and shows it until it is closed or the section is left. */
export function InvitationMaker() {
  const { tier, isBusy, link, refusal } = useSnapshot(invitationMaker);
  const { isReachable } = useSnapshot(connection);
  return (
    <Card title="Invite Somebody">
      <p className={shared.quiet}>
        A link lets one person make an account, also where registration is closed. It is good for{' '}
        {limits.invitationDays} days.
      </p>
      <div className={`${shared.buttons} ${styles.controls}`}>
        <div className={styles.plan}>
          <Select label="Plan" options={plans} value={tier} onChange={chooseTier} />
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
