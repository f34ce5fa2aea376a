import { byQuadrant } from '#app/playback/by-quadrant.ts';
import { siteConfig } from '#app/state/site-config.ts';
import { moveOn } from '../supply/quadrant-supply.ts';
import { SwitchTimer } from './switch-timer.ts';

const switchIntervalMs = () => siteConfig.switchIntervalSeconds * 1000;

export const switchTimers = byQuadrant((quadrant) => new SwitchTimer(switchIntervalMs, () => moveOn(quadrant)));
