import { limits } from '#contract/limits.ts';
import { every } from '#device/timers.ts';
import { broadcastChannel } from './capabilities.ts';
import type { ProviderResult } from './provider-message.ts';
import { readMessage, signInChannel } from './provider-message.ts';

interface Listeners {
  /** Called once, after the window was closed. */
  onMessage: (message: ProviderResult) => void;
  /**
   * Called when the window is closed, or reported as closed because the provider has severed it; a
   * message can still come in that case.
   */
  onClosed: () => void;
}

/**
 * Opens a provider's page in a window of its own (§4 Auth). Accepts messages of our own origin from
 * this window, and those on the channel. Returns a function that stops listening and closes the
 * window; null when no window can be opened.
 * @param start a URL, or a function that requests it: the window must open inside the user's
 * gesture, and gets its URL later
 */
export function openProviderWindow(
  start: string | (() => Promise<string | null>),
  { onMessage, onClosed }: Listeners,
): (() => void) | null {
  const popup = window.open(typeof start === 'string' ? start : 'about:blank', 'fourfold-sign-in', features());
  if (!popup) return null;
  if (typeof start !== 'string')
    void start().then((address) => address !== null && !popup.closed && popup.location.replace(address));
  const channel = broadcastChannel(signInChannel);
  const cancelCheck = every(limits.popupClosedCheckSeconds * 1000, () => {
    if (!popup.closed) return;
    cancelCheck();
    onClosed();
  });
  const stop = () => {
    cancelCheck();
    window.removeEventListener('message', onWindowMessage);
    channel?.close();
    popup.close();
  };
  const receive = (data: unknown) => {
    const message = readMessage(data);
    if (!message) return;
    stop();
    onMessage(message);
  };
  const onWindowMessage = ({ origin, source, data }: MessageEvent) =>
    origin === location.origin && source === popup && receive(data);
  window.addEventListener('message', onWindowMessage);
  channel?.addEventListener('message', ({ data }) => receive(data));
  return stop;
}

/** The window's size, and its position centred on the app's own window. */
function features(): string {
  const { popupWidthPx: width, popupHeightPx: height } = limits;
  const left = Math.max(0, Math.round(window.screenX + (window.outerWidth - width) / 2));
  const top = Math.max(0, Math.round(window.screenY + (window.outerHeight - height) / 2));
  return `popup,width=${width},height=${height},left=${left},top=${top}`;
}
