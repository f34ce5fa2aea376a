import { qualityHost } from '../features/feed/supply/quality-host.ts';
import { startMonitors } from '../playback/health/monitors.ts';

/** What watches the four quadrants while they play. */
export function startFeedMonitors(): void {
  startMonitors(qualityHost);
}
