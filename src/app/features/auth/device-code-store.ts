import { proxy } from 'valtio';
import { call } from '#app/platform/http/call.ts';
import { HttpError } from '#app/platform/http/send.ts';
import { after } from '#app/platform/timers.ts';
import { signInWith } from '#app/state/account.ts';
import { closeSignIn } from '#app/state/navigation.ts';
import { pollDeviceSignIn, startDeviceSignIn } from '#contract/endpoints.ts';

/** The site that another device opens. */
interface Site {
  name: string;
  /** Includes the code. */
  address: string;
}

interface DeviceCodeState {
  /** The code, and the address that carries it. Null before the first reply, and when no code was given. */
  shown: { userCode: string; site: Site | null } | null;
  hasFailed: boolean;
}

export const deviceCode = proxy<DeviceCodeState>({ shown: null, hasFailed: false });

const retryMs = 5_000;
/** Added to the polling interval when the server asks for it (RFC 8628 section 3.5). */
const slowDownMs = 5_000;

let isWanted = false;
let cancelNext = () => {};

/**
 * Requests a code, polls whether it was entered on another device, and requests a new one when it expires. Returns a
 * function that stops it.
 */
export function startDeviceCode(): () => void {
  isWanted = true;
  void start();
  return () => {
    isWanted = false;
    cancelNext();
    Object.assign(deviceCode, { shown: null, hasFailed: false });
  };
}

async function start(): Promise<void> {
  try {
    const { device_code, user_code, verification_url, interval } = await call(startDeviceSignIn, { quiet: true });
    Object.assign(deviceCode, {
      shown: { userCode: user_code, site: siteAt(verification_url, user_code) },
      hasFailed: false,
    });
    pollLater(device_code, interval * 1000);
  } catch {
    // No network, or too many codes: the form is still there, and the request is repeated.
    Object.assign(deviceCode, { shown: null, hasFailed: true });
    later(retryMs, start);
  }
}

/** Null for a loopback address, which other devices cannot open. */
function siteAt(url: string, code: string): Site | null {
  const { hostname, host } = new URL(url);
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname) ? null : { name: host, address: `${url}?device=${code}` };
}

async function poll(code: string, everyMs: number): Promise<void> {
  try {
    const reply = await call(pollDeviceSignIn, { body: { device_code: code }, quiet: true });
    if (!isWanted) return;
    signInWith(reply);
    closeSignIn();
  } catch (error) {
    const answer = error instanceof HttpError ? error.code : undefined;
    if (answer === 'expired_token') void start();
    else pollLater(code, answer === 'slow_down' ? everyMs + slowDownMs : everyMs);
  }
}

function pollLater(code: string, everyMs: number): void {
  later(everyMs, () => poll(code, everyMs));
}

function later(ms: number, run: () => Promise<void>): void {
  if (isWanted) cancelNext = after(ms, run);
}
