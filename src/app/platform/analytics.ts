import { newRandomId } from '#device/random-id.ts';

/** The destination of events, set by the operator; none by default. */
interface AnalyticsTarget {
  measurementId: string;
  endpoint: string;
}

/** Undefined until the configuration was read: events are queued until then. */
let target: AnalyticsTarget | null | undefined;

const queue: Array<() => void> = [];
const maxQueued = 20;

/** New with each page load: nothing is stored on the device. */
const visitId = newRandomId();

export function setAnalyticsTarget(next: AnalyticsTarget | null): void {
  target = next;
  for (const send of queue.splice(0)) send();
}

/** Reports a page view and a navigation event for each change of view (§2 Screens). */
export function reportView(view: string): void {
  report('page_view', { page_title: view });
  report('navigation', { view });
}

/** Sends an event with an anonymised address; errors are ignored (§2 Screens). */
function report(event: string, fields: Record<string, string>): void {
  if (target === undefined && queue.length < maxQueued) queue.push(() => report(event, fields));
  if (!target) return;
  const query = new URLSearchParams({ v: '2', tid: target.measurementId, cid: visitId, en: event, aip: '1' });
  for (const [name, value] of Object.entries(fields)) query.set(`ep.${name}`, value);
  try {
    navigator.sendBeacon(`${target.endpoint}?${query}`);
  } catch {
    // Ignored by specification: analytics must not disturb playback.
  }
}
