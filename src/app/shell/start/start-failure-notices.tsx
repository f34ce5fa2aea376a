import { CircleAlert } from 'lucide-react';
import { readSession } from '#app/state/account.ts';
import { Banner } from '#app/ui/banner.tsx';
import { Toast } from '#app/ui/overlay/toast.tsx';
import { initializeAuthentication } from '#contract/failures.ts';

const parts = {
  icon: <CircleAlert aria-hidden="true" />,
  sentence: initializeAuthentication,
  action: { label: 'Retry', onPress: () => void readSession() },
};

export function FailureBanner() {
  return <Banner kind="danger" {...parts} />;
}

export function FailureToast() {
  return <Toast {...parts} />;
}
