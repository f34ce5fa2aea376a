import { buildAddress } from '#app/platform/http/address.ts';
import { sendBeacon } from '#app/platform/http/beacon.ts';
import { fetchWithinLimit } from '#app/platform/http/fetch-within-limit.ts';
import { recordPerformance } from '#contract/endpoints.ts';
import type { PerformanceReport } from '#contract/entities/site/performance.ts';
import { limits } from '#contract/limits.ts';

const address = buildAddress(recordPerformance.path, { quadrant: 'all' });
const accepted = 202;
const tooMany = 429;

/**
 * Sends a report in the background. It carries no token, as a beacon cannot, so that both are the same viewer's; and its
 * outcome says nothing about the connection: a blocker that refuses it must not make the app look offline. A page that
 * is left meanwhile does not end it.
 * @returns false where it may be sent again later. What was refused would be refused again.
 */
export async function sendReport(report: PerformanceReport): Promise<boolean> {
  const options: RequestInit = {
    method: recordPerformance.method,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(report),
    credentials: 'same-origin',
    keepalive: true,
  };
  try {
    const response = await fetchWithinLimit(address, options, limits.callTimeoutSeconds);
    const { status } = response;
    // An answer that is not read may hold its connection; whether its end comes does not matter.
    response.text().catch(() => {});
    // A captive portal answers with 200.
    return status === accepted || (status >= 400 && status < 500 && status !== tooMany);
  } catch {
    // The network is away.
    return false;
  }
}

/** Hands a report to the browser, which sends it also when the page is gone. False: the browser does not take it. */
export function beaconReport(report: PerformanceReport): boolean {
  return sendBeacon(address, report);
}
