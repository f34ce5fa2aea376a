import { newId } from './ids.ts';

/** Where events go; the operator names it, by default nobody does. */
export interface AnalyticsTarget {
  measurementId: string;
  endpoint: string;
}

/** Undefined until the configuration was read; events wait for it. */
let target: AnalyticsTarget | null | undefined;

const queue: Array<() => void> = [];
const maxQueued = 20;

/** Lives as long as the page: nothing is stored on the device. */
const visitId = newId();

export function setAnalyticsTarget(next: AnalyticsTarget | null): void {
  target = next;
  for (const send of queue.splice(0)) send();
}

/** §2 Screens: a page view and a navigation event for each change of view. */
export function reportView(view: string): void {
  report('page_view', { page_title: view });
  report('navigation', { view });
}

/** §2 Screens: the address is anonymised, and nobody is told of an error. */
function report(event: string, fields: Record<string, string>): void {
  if (target === undefined && queue.length < maxQueued) queue.push(() => report(event, fields));
  if (!target) return;
  const query = new URLSearchParams({ v: '2', tid: target.measurementId, cid: visitId, en: event, aip: '1' });
  for (const [name, value] of Object.entries(fields)) query.set(`ep.${name}`, value);
  try {
    navigator.sendBeacon(`${target.endpoint}?${query}`);
  } catch {
    // "errors silently ignored": watching goes on without being counted
  }
}
