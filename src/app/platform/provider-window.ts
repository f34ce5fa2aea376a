import { limits } from '#contract/limits.ts';
import { broadcastChannel } from './capabilities.ts';
import type { ProviderMessage } from './provider-message.ts';
import { readMessage, signInChannel } from './provider-message.ts';
import { every } from './timers.ts';

interface Hearing {
  /** Once. The window is closed then. */
  onMessage: (message: ProviderMessage) => void;
  /** The window is gone: closed by hand, or cut off by its provider, and then a message still comes. */
  onClosed: () => void;
}

/**
 * Opens a provider's page in a window of its own (§4 Auth). Only a message of our own origin that comes from this very window counts, or one on the
 * channel. Returns what stops the hearing and closes it; null where no window can be had.
 * @param start an address, or what finds it: the window has to open while the press is heard, and waits for an address that comes later
 */
export function openProviderWindow(start: string | (() => Promise<string | null>), { onMessage, onClosed }: Hearing): (() => void) | null {
  const popup = window.open(typeof start === 'string' ? start : 'about:blank', 'fourfold-sign-in', features());
  if (!popup) return null;
  if (typeof start !== 'string') void start().then((address) => address !== null && !popup.closed && popup.location.replace(address));
  const channel = broadcastChannel(signInChannel);
  const cancelCheck = every(limits.popupClosedCheckSeconds * 1000, () => {
    if (!popup.closed) return;
    cancelCheck();
    onClosed();
  });
  const stop = () => {
    cancelCheck();
    window.removeEventListener('message', hear);
    channel?.close();
    popup.close();
  };
  const receive = (data: unknown) => {
    const message = readMessage(data);
    if (!message) return;
    stop();
    onMessage(message);
  };
  const hear = ({ origin, source, data }: MessageEvent) => origin === location.origin && source === popup && receive(data);
  window.addEventListener('message', hear);
  channel?.addEventListener('message', ({ data }) => receive(data));
  return stop;
}

/** In the middle of the app's own window. */
function features(): string {
  const { popupWidthPx: width, popupHeightPx: height } = limits;
  const left = Math.max(0, Math.round(window.screenX + (window.outerWidth - width) / 2));
  const top = Math.max(0, Math.round(window.screenY + (window.outerHeight - height) / 2));
  return `popup,width=${width},height=${height},left=${left},top=${top}`;
}
