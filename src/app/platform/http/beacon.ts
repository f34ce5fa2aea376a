/**
 * Hands JSON to the browser, which sends it also when the page is gone. False: the browser has 64 KiB to send already, has
 * no beacons, or takes no JSON by them (Chromium 59 to 80 throw).
 */
export function sendBeacon(address: string, body: unknown): boolean {
  try {
    return navigator.sendBeacon(address, new Blob([JSON.stringify(body)], { type: 'application/json' }));
  } catch {
    return false;
  }
}
