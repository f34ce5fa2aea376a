import { proxy } from 'valtio/vanilla';
import { subscribeKey } from 'valtio/vanilla/utils';
import { call } from '#app/platform/http/call.ts';
import { HttpError } from '#app/platform/http/send.ts';
import { applyUser, readSession } from '#app/state/account.ts';
import { closeDialog, navigation, openDialog } from '#app/state/navigation.ts';
import { session } from '#app/state/session.ts';
import { listPlans, upgradePlan } from '#contract/endpoints.ts';
import type { Plan } from '#contract/entities/user.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import { after } from '#device/timers.ts';

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
  try {
    applyUser(await call(upgradePlan, { body: { to_tier: tier } }));
    closeSoon(tier);
    void readSession();
  } catch (error) {
    plans.refusal = error instanceof HttpError ? error.message : failures.upgrade;
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
