import { CircleAlert, MailOpen } from 'lucide-react';
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { recovered } from '#app/platform/http/recovery.ts';
import { Banner } from '#app/ui/banner.tsx';
import { tierBadges } from '#contract/rules/tiers.ts';
import { invitation, loadInvitation, resetInvitation, retryInvitation } from './invitation-store.ts';

/** What the invitation of the address gives, or why it gives nothing. */
export function InvitationOffer() {
  const { offer, refusal, isRetryable } = useSnapshot(invitation);
  useEffect(() => {
    void loadInvitation();
    return resetInvitation;
  }, []);
  useEffect(() => recovered.listen(() => void retryInvitation()), []);
  if (refusal !== null) {
    return (
      <Banner
        kind="danger"
        icon={<CircleAlert aria-hidden="true" />}
        sentence={refusal}
        {...(isRetryable ? { action: { label: 'Retry', onPress: () => void retryInvitation() } } : {})}
      />
    );
  }
  const sentence = offer ? `You are invited. Your plan: ${tierBadges[offer.tier]}.` : 'Checking your invitation...';
  return <Banner kind="info" icon={<MailOpen aria-hidden="true" />} sentence={sentence} />;
}
