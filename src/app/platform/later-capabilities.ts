/* APIs that are detected here and not in `capabilities.ts`, which is loaded at the start. */

import { isIos, isWebKit, matches } from './capabilities.ts';

/** Chromium 66, Safari 13.1, Firefox 63; absent on plain-http addresses. */
function clipboard(): Clipboard | undefined {
  return navigator.clipboard as Clipboard | undefined;
}

/**
 * Opens the system's dialog for sharing: Safari 12.1, Chromium 61 on Android and 89 elsewhere;
 * absent on plain-http addresses.
 */
export function shareSheet(): ((data: ShareData) => Promise<void>) | undefined {
  // A rejection means that the dialog was closed without sharing.
  return 'share' in navigator ? (data) => navigator.share(data).catch(() => {}) : undefined;
}

/**
 * Copies the text of an element. When there is no clipboard, or it is refused, the text is
 * selected, copied by the browser's own command, and stays selected. Returns whether it was copied.
 */
export async function copyTextOf(element: HTMLElement): Promise<boolean> {
  try {
    const board = clipboard();
    if (!board) return copyBySelection(element);
    await board.writeText(element.textContent ?? '');
    return true;
  } catch {
    // The browser or a policy of the page refused the clipboard.
    return copyBySelection(element);
  }
}

function copyBySelection(element: HTMLElement): boolean {
  window.getSelection()?.selectAllChildren(element);
  return document.execCommand('copy');
}

/** Unprefixed from Chromium 71, Firefox 64, Safari 16.4. */
type OldElement = HTMLElement & { webkitRequestFullscreen?: () => void };
type OldDocument = Document & { webkitFullscreenElement?: Element | null; webkitExitFullscreen?: () => void };

/** Whether a page may be shown in full screen, which iPhones do not allow. */
export function canFillScreen(): boolean {
  const root: OldElement = document.documentElement;
  return 'requestFullscreen' in root || 'webkitRequestFullscreen' in root;
}

/**
 * Shows the page in full screen, or leaves full screen. Must be called in a user gesture. The page as
 * a whole, because a single element in full screen hides the dialogs over it and keeps their focus.
 */
export async function toggleFullScreen(): Promise<void> {
  const root: OldElement = document.documentElement;
  try {
    if (!(await leaveFullScreen())) await (root.requestFullscreen?.() ?? root.webkitRequestFullscreen?.());
  } catch {
    // The browser or its policy refused: the page stays as it is, and the button can be pressed
    // again.
  }
}

/** Returns whether the page was in full screen. */
export async function leaveFullScreen(): Promise<boolean> {
  const page: OldDocument = document;
  if (!(page.fullscreenElement ?? page.webkitFullscreenElement)) return false;
  await (page.exitFullscreen?.() ?? page.webkitExitFullscreen?.());
  return true;
}

interface BadgedNavigator {
  setAppBadge(count: number): Promise<void>;
  clearAppBadge(): Promise<void>;
}

const badgeCounts = { uploads: 0, saved: 0 };

/**
 * Shows how many files are unfinished, of all kinds together, on the icon of the installed app; 0
 * removes the badge. Chromium 81 on desktops, Safari 16.4; has no effect elsewhere, or when the app
 * is not installed.
 */
export function showAppBadge(kind: keyof typeof badgeCounts, unfinished: number): void {
  if (badgeCounts[kind] === unfinished) return;
  badgeCounts[kind] = unfinished;
  if (!('setAppBadge' in navigator)) return;
  const count = badgeCounts.uploads + badgeCounts.saved;
  const badged = navigator as unknown as BadgedNavigator;
  void (count > 0 ? badged.setAppBadge(count) : badged.clearAppBadge()).catch(ignoreRefusal);
}

/** The system shows no badges, or none for this app. */
function ignoreRefusal(): void {}

/** Media Capabilities: Chromium 66, Safari 13, Firefox 63. */
function mediaCapabilities(): MediaCapabilities | undefined {
  return navigator.mediaCapabilities as MediaCapabilities | undefined;
}

interface AskedVideo {
  /** Pixels. */
  width: number;
  height: number;
  /** Bits per second. */
  bitrate: number;
}

/** How a browser decodes a type; null when the API is missing, or gives no answer. */
export async function askDecodingInfo(
  contentType: string,
  size: AskedVideo,
): Promise<{ supported: boolean; smooth: boolean } | null> {
  const tracks = contentType.startsWith('audio')
    ? { audio: { contentType, channels: '2', bitrate: 192_000, samplerate: 48_000 } }
    : { video: { contentType, ...size, framerate: 30 } };
  try {
    return (await mediaCapabilities()?.decodingInfo({ type: 'file', ...tracks })) ?? null;
  } catch {
    // An error is not a refusal, which would be an answer.
    return null;
  }
}

/** Absent on plain-http addresses other than localhost, and on some TVs. */
export function serviceWorkers(): ServiceWorkerContainer | undefined {
  return 'serviceWorker' in navigator ? navigator.serviceWorker : undefined;
}

/** A channel between the pages of this site: Chromium 54, Safari 15.4, Firefox 38. */
export function broadcastChannel(name: string): BroadcastChannel | undefined {
  return 'BroadcastChannel' in window ? new BroadcastChannel(name) : undefined;
}

/**
 * Whether a page can open a window and receive messages from it. A home-screen app on iOS opens it
 * in Safari, where it has no opener.
 */
export function opensWindows(): boolean {
  return !(isIos() && (navigator as { standalone?: boolean }).standalone === true);
}

interface SmallWindows {
  /** @throws when the browser or a policy of the page refuses */
  requestWindow(size: { width: number; height: number }): Promise<Window>;
}

/** Windows that stay above all others (Document Picture-in-Picture): Chromium 116 on desktops. */
export function smallWindows(): SmallWindows | undefined {
  return (window as { documentPictureInPicture?: SmallWindows }).documentPictureInPicture;
}

/** Whether the page is open in a tab of iOS or iPadOS, and could be added to the home screen. */
export function isInIosTab(): boolean {
  return isIos() && (navigator as { standalone?: boolean }).standalone === false;
}

/**
 * Whether a page may set the volume of its elements. Elsewhere the value reads as set and is reset
 * a moment later.
 */
export function canSetVolume(): boolean {
  return !isIos();
}

const shakeMs = 10;

/** A short vibration, where the device has one (no iOS) and motion is not reduced. */
export function shake(): void {
  if (!matches('(prefers-reduced-motion: reduce)')) navigator.vibrate?.(shakeMs);
}

/** Chromium 84, Safari 16.4, Firefox 126; absent on plain-http addresses. */
export function wakeLocks(): WakeLock | undefined {
  return navigator.wakeLock as WakeLock | undefined;
}

/** Chromium 73, Safari 15, Firefox 82; absent in many TV browsers. */
export function mediaSession(): MediaSession | undefined {
  return 'mediaSession' in navigator && 'MediaMetadata' in window ? navigator.mediaSession : undefined;
}

interface TizenInput {
  getSupportedKeys(): Array<{ name: string }>;
  registerKeyBatch(names: string[]): void;
}

/** Key registration of a Tizen TV: present in an app of its store, not in its browser. */
export function tvInput(): TizenInput | undefined {
  return (globalThis as { tizen?: { tvinputdevice?: TizenInput } }).tizen?.tvinputdevice;
}

interface TrustedScriptUrls {
  /** A `TrustedScriptURL` object, typed as the string that it replaces. */
  createScriptURL(url: string): string;
}

interface TrustedTypeFactory {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): TrustedScriptUrls;
}

/** Chromium 83, Safari 26, Firefox 148. */
export function trustedTypes(): TrustedTypeFactory | undefined {
  return (globalThis as { trustedTypes?: TrustedTypeFactory }).trustedTypes;
}

/**
 * Whether a page that was left, and may come back by a press of Back, keeps its open transactions
 * of IndexedDB. WebKit leaves them open for as long as it remembers the page.
 */
export function keepsTransactionsWhenLeft(): boolean {
  return isWebKit();
}
