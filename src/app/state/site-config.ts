import { proxy } from 'valtio/vanilla';
import type { Config } from '#contract/entities/feed.ts';
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
}

const defaults: SiteConfigState = {
  switchIntervalSeconds: limits.switchIntervalSeconds,
  isBillingOpen: true,
  isRegistrationOpen: true,
  isTagEditingOpen: true,
};

/** The operator's configuration, or the defaults until it is read. */
export const siteConfig = proxy<SiteConfigState>({ ...defaults });

export function applyConfig(config: Config): void {
  siteConfig.switchIntervalSeconds = config.video_settings.switch_interval_seconds;
  siteConfig.isBillingOpen = config.features.billing === 'open';
  siteConfig.isRegistrationOpen = config.features.registration;
  siteConfig.isTagEditingOpen = config.features.tag_editing === 'everyone';
  const { analytics } = config;
  setAnalyticsTarget(analytics && { measurementId: analytics.measurement_id, endpoint: analytics.endpoint });
}

export function resetSiteConfig(): void {
  Object.assign(siteConfig, defaults);
  setAnalyticsTarget(null);
}
