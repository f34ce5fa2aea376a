import { proxy } from 'valtio/vanilla';
import { limits } from '#contract/limits.ts';
import { setAnalyticsTarget } from '../platform/analytics.ts';

interface SiteConfigState {
  switchIntervalSeconds: number;
  /** Whether users can upgrade their plan by themselves. */
  isBillingOpen: boolean;
  /** Whether users can register by themselves. */
  isRegistrationOpen: boolean;
  /** Whether every signed-in user may change tags, or administrators only. */
  isTagEditingOpen: boolean;
  /** Whether the site remembers what somebody has watched. */
  remembersWatched: boolean;
  /** One in so many devices reports how all of its videos play. */
  measuredOneIn: number;
}

const defaults: SiteConfigState = {
  switchIntervalSeconds: limits.switchIntervalSeconds,
  isBillingOpen: true,
  isRegistrationOpen: true,
  isTagEditingOpen: true,
  remembersWatched: true,
  measuredOneIn: 1,
};

/** The operator's configuration, or the defaults until it is read. */
export const siteConfig = proxy<SiteConfigState>({ ...defaults });

export function resetSiteConfig(): void {
  Object.assign(siteConfig, defaults);
  setAnalyticsTarget(null);
}
