import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { recovered } from '#app/platform/http/recovery.ts';
import { connection } from '#app/state/connection.ts';
import { Modal } from '#app/ui/overlay/modal.tsx';
import { PlanCards } from './plan-cards.tsx';
import { PlansFoot } from './plans-foot.tsx';
import { PlansMissing } from './plans-missing.tsx';
import { loadPlans, openPlans, plans } from './plans-store.ts';

/** §2 Plans, over any view. */
export default function PlansDialog({ onClose }: { onClose: () => void }) {
  const { list, hasFailed } = useSnapshot(plans);
  const { isReachable } = useSnapshot(connection);
  useEffect(openPlans, []);
  useEffect(() => {
    if (isReachable && plans.hasFailed) void loadPlans();
  }, [isReachable]);
  useEffect(() => recovered.listen(() => plans.hasFailed && void loadPlans()), []);
  return (
    <Modal title="Choose Your Plan" size="wide" onClose={onClose} foot={<PlansFoot />}>
      {list ? <PlanCards list={list} /> : <PlansMissing hasFailed={hasFailed} />}
    </Modal>
  );
}
