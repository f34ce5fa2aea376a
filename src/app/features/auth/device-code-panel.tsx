import { useEffect } from 'react';
import { proxy, useSnapshot } from 'valtio';
import { call } from '#app/platform/http/call.ts';
import { HttpError } from '#app/platform/http/send.ts';
import { signInWith } from '#app/state/account.ts';
import { closeSignIn } from '#app/state/navigation.ts';
import { SquaresLoader } from '#app/ui/loading.tsx';
import { QrCode } from '#app/ui/qr-code.tsx';
import { pollDeviceSignIn, startDeviceSignIn } from '#contract/endpoints.ts';
import { after } from '#device/timers.ts';
import styles from './device-code-panel.module.css';

/** §4 Auth: the QR code that another device scans, and the code to enter there. */
export function DeviceCodePanel() {
  const { shown, hasFailed } = useSnapshot(deviceCode);
  useEffect(startDeviceCode, []);
  if (!shown) {
    return (
      <p className={styles.wait} role="status">
        <SquaresLoader className={styles.loader} />
        {hasFailed ? 'No code can be had now. Trying again...' : 'Loading...'}
      </p>
    );
  }
  const { site, userCode } = shown;
  return (
    <div className={styles.panel}>
      {site && <QrCode text={site.address} label={`QR code for ${site.name}`} className={styles.qr} />}
      <div>
        <p className={styles.way}>
          {site ? (
            <>
              Scan this with your phone, or open <strong>{site.name}</strong> on another device, sign in there,
            </>
          ) : (
            'Open Fourfold on another device, sign in there,'
          )}{' '}
          and enter this code under 'Sign in a TV' in Profile:
        </p>
        <p className={styles.code}>{userCode}</p>
      </div>
    </div>
  );
}

/** The site that another device opens. */
interface Site {
  name: string;
  /** Includes the code. */
  address: string;
}

interface DeviceCodeState {
  /**
   * The code, and the address that contains it. Null before the first reply, and when no code was
   * given.
   */
  shown: { userCode: string; site: Site | null } | null;
  hasFailed: boolean;
}

export const deviceCode = proxy<DeviceCodeState>({ shown: null, hasFailed: false });

const retryMs = 5_000;
/** Added to the polling interval when the server asks for it (RFC 8628 section 3.5). */
const slowDownMs = 5_000;

let cancelNext = () => {};

/**
 * Requests a code, polls whether it was entered on another device, and requests a new one when it
 * expires. Returns a function that stops it.
 */
export function startDeviceCode(): () => void {
  const stopping = new AbortController();
  void start(stopping.signal);
  return () => {
    stopping.abort();
    cancelNext();
    Object.assign(deviceCode, { shown: null, hasFailed: false });
  };
}

async function start(signal: AbortSignal): Promise<void> {
  try {
    const { device_code, user_code, verification_url, interval } = await call(startDeviceSignIn, {
      quiet: true,
      signal,
    });
    if (signal.aborted) return;
    Object.assign(deviceCode, {
      shown: { userCode: user_code, site: siteAt(verification_url, user_code) },
      hasFailed: false,
    });
    pollLater(device_code, interval * 1000, signal);
  } catch {
    if (signal.aborted) return;
    // There is no network, or too many codes were requested. The form stays usable, and the request
    // is repeated.
    Object.assign(deviceCode, { shown: null, hasFailed: true });
    cancelNext = after(retryMs, () => void start(signal));
  }
}

/** Null for a loopback address, which other devices cannot open. */
function siteAt(url: string, code: string): Site | null {
  const { hostname, host } = new URL(url);
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname) ? null : { name: host, address: `${url}?device=${code}` };
}

async function poll(code: string, everyMs: number, signal: AbortSignal): Promise<void> {
  try {
    const reply = await call(pollDeviceSignIn, { body: { device_code: code }, quiet: true, signal });
    if (signal.aborted) return;
    signInWith(reply);
    closeSignIn();
  } catch (error) {
    if (signal.aborted) return;
    const answer = error instanceof HttpError ? error.code : undefined;
    if (answer === 'expired_token') void start(signal);
    else pollLater(code, answer === 'slow_down' ? everyMs + slowDownMs : everyMs, signal);
  }
}

function pollLater(code: string, everyMs: number, signal: AbortSignal): void {
  cancelNext = after(everyMs, () => void poll(code, everyMs, signal));
}
