import { Check, CircleAlert, CircleCheck } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useSnapshot } from 'valtio';
import { proxy } from 'valtio/vanilla';
import { subscribeKey } from 'valtio/vanilla/utils';
import { call } from '#app/platform/http/call.ts';
import { HttpError } from '#app/platform/http/send.ts';
import { focusStart } from '#app/platform/input/focus-scopes.ts';
import { recovered } from '#app/platform/link.ts';
import { applyUser, readSession } from '#app/state/account.ts';
import { connection } from '#app/state/connection.ts';
import { closeDialog, navigation, openDialog } from '#app/state/navigation.ts';
import { session } from '#app/state/session.ts';
import { siteConfig } from '#app/state/site-config.ts';
import { watchViewer } from '#app/state/viewer-cache.ts';
import { tierBadgeOf, tierColours } from '#app/ui/badge.tsx';
import { Button } from '#app/ui/button.tsx';
import { SlashedText } from '#app/ui/card.tsx';
import { lateTeller } from '#app/ui/form/form.ts';
import { Skeleton } from '#app/ui/loading.tsx';
import { Banner } from '#app/ui/messages.tsx';
import { Modal } from '#app/ui/modal.tsx';
import { listPlans, upgradePlan } from '#contract/endpoints.ts';
import type { Plan } from '#contract/entities/user.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { isHigherTier, planButton, priceText } from '#contract/rules/plans.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import { after } from '#device/timers.ts';
import styles from './plans-dialog.module.css';

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

/** One card for each plan. Once loaded, the first plan that can be chosen gets the focus. */
function PlanCards({ list }: { list: readonly DeepReadonly<Plan>[] }) {
  const { tier } = tierBadgeOf(useSnapshot(session).user);
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

interface Props {
  plan: Omit<Plan, 'features'> & { readonly features: readonly string[] };
  offer: PlanOffer;
  onChoose: () => void;
}

/** A plan with its price, features and button; the popular one has a folded corner. */
function PlanCard({ plan, offer, onChoose }: Props) {
  const { tier, name, description, features, popular } = plan;
  return (
    <li className={`${styles.card} ${popular ? styles.popular : ''}`}>
      {popular && <Fold />}
      <div className={styles.head}>
        <h3 className={`${styles.name} ${tierColours[tier]}`}>{name}</h3>
        {popular && <p className={styles.badge}>Most Popular</p>}
      </div>
      <Price plan={plan} />
      <p className={styles.description}>{description}</p>
      <ul className={styles.features}>
        {features.map((feature) => (
          <li key={feature}>
            <Check aria-hidden="true" />
            <span className={styles.words}>
              <SlashedText text={feature} />
            </span>
          </li>
        ))}
      </ul>
      <Button
        kind={popular ? 'primary' : 'line'}
        isBlock
        label={offer.label}
        isDisabled={!offer.isChoosable}
        onPress={onChoose}
      />
    </li>
  );
}

/** A large amount, with the billing period in small type beside it. */
function Price({ plan }: { plan: Pick<Plan, 'price' | 'duration'> }) {
  const [amount, duration] = priceText(plan).split('/');
  return (
    <p className={styles.price}>
      {amount}
      {duration && <span className={styles.duration}>/{duration}</span>}
    </p>
  );
}

function Fold() {
  return (
    <svg className={styles.fold} viewBox="0 0 34 34" aria-hidden="true">
      <path className={styles.behind} d="M0 0h34v34Z" />
      <path className={styles.flap} d="M0 0 34 34H4a4 4 0 0 1-4-4Z" />
    </svg>
  );
}

/** The viewer of the plans; signed out, the tier is basic. */
interface PlanViewer {
  tier: Tier;
  /** Whether users can change plans by themselves. */
  isBillingOpen: boolean;
}

interface PlanOffer {
  label: string;
  isChoosable: boolean;
}

/** Label of a plan's button, and whether it is enabled (§4 Subscription). */
export function offerOf(plan: Pick<Plan, 'tier' | 'name'>, { tier, isBillingOpen }: PlanViewer): PlanOffer {
  const isForSale = plan.tier !== 'admin' && isHigherTier(plan.tier, tier);
  if (isForSale && !isBillingOpen) return { label: 'Contact Admin', isChoosable: false };
  return { label: planButton(plan, tier), isChoosable: isForSale };
}

/** The outcome of the last upgrade, and notes for all plans. */
function PlansFoot() {
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

const places = ['first', 'second', 'third', 'fourth'];

/** Shown instead of the plans: they are loading, or could not be loaded. */
function PlansMissing({ hasFailed }: { hasFailed: boolean }) {
  if (hasFailed) {
    return (
      <Banner
        kind="danger"
        icon={<CircleAlert aria-hidden="true" />}
        sentence={failures.loadPlans}
        action={{ label: 'Retry', onPress: () => void loadPlans() }}
      />
    );
  }
  return (
    <div role="status">
      <span className="visually-hidden">Loading...</span>
      <div className={styles.grid} aria-hidden="true">
        {places.map((place) => (
          <Skeleton key={place} className={styles.place} />
        ))}
      </div>
    </div>
  );
}

interface PlansState {
  /** The plans in the order of their tiers, or null before the first reply. */
  list: Plan[] | null;
  /** The list could not be loaded, and no older one is available. */
  hasFailed: boolean;
  /** The tier of the upgrade in progress. */
  upgradingTo: Tier | null;
  /** The tier of an upgrade that has just succeeded. The dialog is about to close. */
  upgradedTo: Tier | null;
  /** Why the last upgrade failed. */
  refusal: string | null;
}

const closed = { upgradingTo: null, upgradedTo: null, refusal: null };

export const plans = proxy<PlansState>({ list: null, hasFailed: false, ...closed });

let cancelClosing = () => {};

/** Loads the plans for the dialog. Returns the function to call when it closes. */
export function openPlans(): () => void {
  void loadPlans();
  return () => {
    cancelClosing();
    Object.assign(plans, { upgradedTo: null, refusal: null });
  };
}

/** Loads the plans. The current list stays until the reply, and after a failure. */
export async function loadPlans(): Promise<void> {
  plans.hasFailed = false;
  try {
    plans.list = (await call(listPlans)).plans;
  } catch {
    plans.hasFailed = plans.list === null;
  }
}

/**
 * §4 Subscription: the upgrade takes effect at once, and the dialog closes shortly after. §5:
 * signed-out users are asked to sign in.
 */
export async function upgradeTo(tier: Tier): Promise<void> {
  if (plans.upgradingTo !== null || plans.upgradedTo !== null) return;
  plans.refusal = session.user ? null : failures.signInToUpgrade;
  if (!session.user) return;
  plans.upgradingTo = tier;
  const [isSame, tellLate] = [watchViewer(), lateTeller()];
  try {
    applyUser(await call(upgradePlan, { body: { to_tier: tier } }));
    if (isSame()) closeSoon(tier);
    void readSession();
  } catch (error) {
    const refusal = error instanceof HttpError ? error.message : failures.upgrade;
    if (navigation.dialog !== 'plans') tellLate(refusal);
    else if (isSame()) plans.refusal = refusal;
  } finally {
    plans.upgradingTo = null;
  }
}

/** Replaces the plans with the sign-in dialog, and shows them again after a sign-in. */
export function signInFirst(): void {
  openDialog('sign-in');
  const stop = subscribeKey(navigation, 'dialog', (dialog) => {
    if (dialog !== null && dialog !== 'plans') return;
    stop();
    if (dialog === null && session.user) openDialog('plans');
  });
}

export function resetPlans(): void {
  cancelClosing();
  Object.assign(plans, { list: null, hasFailed: false, ...closed });
}

function closeSoon(tier: Tier): void {
  if (navigation.dialog !== 'plans') return;
  plans.upgradedTo = tier;
  cancelClosing = after(limits.upgradeClosesAfterMs, closeDialog);
}
