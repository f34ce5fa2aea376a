import { CircleAlert, CircleCheck } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { session } from '#app/state/session.ts';
import { siteConfig } from '#app/state/site-config.ts';
import { Banner } from '#app/ui/banner.tsx';
import styles from './plans-foot.module.css';
import { plans, signInFirst } from './plans-store.ts';

/** The outcome of the last upgrade, and notes for all plans. */
export function PlansFoot() {
  return (
    <>
      <Outcome />
      {useNotes().map((note) => (
        <p key={note} className={styles.note}>
          {note}
        </p>
      ))}
    </>
  );
}

function Outcome() {
  const { list, refusal, upgradedTo } = useSnapshot(plans);
  const { user } = useSnapshot(session);
  const name = list?.find(({ tier }) => tier === upgradedTo)?.name;
  if (upgradedTo)
    return (
      <Banner kind="ok" icon={<CircleCheck aria-hidden="true" />} sentence={`You are on ${name ?? upgradedTo} now.`} />
    );
  if (!refusal) return null;
  const icon = <CircleAlert aria-hidden="true" />;
  if (user) return <Banner kind="danger" icon={icon} sentence={refusal} />;
  return <Banner kind="warn" icon={icon} sentence={refusal} action={{ label: 'Sign In', onPress: signInFirst }} />;
}

function useNotes(): string[] {
  const { user } = useSnapshot(session);
  const { isBillingOpen } = useSnapshot(siteConfig);
  const { isReachable } = useSnapshot(connection);
  if (!isReachable) return ['Needs a connection'];
  const note = user
    ? 'You can change your subscription at any time. Upgrades take effect immediately.'
    : 'You can continue to use the app without an account.';
  return isBillingOpen ? [note] : [note, 'Plans are changed by an administrator here.'];
}
