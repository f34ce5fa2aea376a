import { proxy } from 'valtio/vanilla';
import { limits } from '#contract/limits.ts';
import { setAnalyticsTarget } from '../platform/analytics.ts';
import { localStore } from '../platform/capabilities.ts';

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

const key = 'fourfold.site';

/** The operator's configuration; until it is read, what this device last knew, or the defaults. */
export const siteConfig = proxy<SiteConfigState>({ ...defaults });

/** Applies the operator's configuration, and stores it for a start without the server. */
export function applySiteConfig(config: SiteConfigState): void {
  Object.assign(siteConfig, config);
  try {
    localStore()?.setItem(key, JSON.stringify(config));
  } catch {
    // Storage is full or blocked.
  }
}

/** Applies what this device last knew; what another version has stored otherwise is left out. */
export function recallSiteConfig(): void {
  try {
    const known = JSON.parse(localStore()?.getItem(key) ?? '{}') as Record<string, unknown>;
    for (const [name, value] of Object.entries(defaults))
      if (typeof known[name] === typeof value) Object.assign(siteConfig, { [name]: known[name] });
  } catch {
    // Nothing readable is stored.
  }
}

export function resetSiteConfig(): void {
  Object.assign(siteConfig, defaults);
  setAnalyticsTarget(null);
}
