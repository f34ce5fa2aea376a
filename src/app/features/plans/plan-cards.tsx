import { useEffect, useRef } from 'react';
import { useSnapshot } from 'valtio';
import { focusStart } from '#app/platform/input/focus-scopes.ts';
import { connection } from '#app/state/connection.ts';
import { session, tierOf } from '#app/state/session.ts';
import { siteConfig } from '#app/state/site-config.ts';
import type { Plan } from '#contract/entities/user.ts';
import { PlanCard } from './plan-card.tsx';
import styles from './plan-cards.module.css';
import type { PlanOffer } from './plan-offer.ts';
import { offerOf } from './plan-offer.ts';
import { plans, upgradeTo } from './plans-store.ts';

/** One card for each plan. Once loaded, the first plan that can be chosen gets the focus. */
export function PlanCards({ list }: { list: readonly DeepReadonly<Plan>[] }) {
  const { tier } = tierOf(useSnapshot(session).user);
  const { isBillingOpen } = useSnapshot(siteConfig);
  const grid = useRef<HTMLUListElement>(null);
  const lock = useLock();
  useEffect(() => void (grid.current && focusStart(grid.current)), []);
  return (
    <ul ref={grid} className={styles.grid}>
      {list.map((plan) => (
        <PlanCard
          key={plan.tier}
          plan={plan}
          offer={lock(plan, offerOf(plan, { tier, isBillingOpen }))}
          onChoose={() => void upgradeTo(plan.tier)}
        />
      ))}
    </ul>
  );
}

type DeepReadonly<T> = { readonly [Key in keyof T]: T[Key] extends readonly (infer Item)[] ? readonly Item[] : T[Key] };

/** No plan can be chosen during an upgrade, right after one, or offline. */
function useLock(): (plan: Pick<Plan, 'tier'>, offer: PlanOffer) => PlanOffer {
  const { upgradingTo, upgradedTo } = useSnapshot(plans);
  const { isReachable } = useSnapshot(connection);
  const isLocked = upgradingTo !== null || upgradedTo !== null || !isReachable;
  return ({ tier }, { label, isChoosable }) => ({
    label: tier === upgradingTo ? 'Upgrading...' : label,
    isChoosable: isChoosable && !isLocked,
  });
}
