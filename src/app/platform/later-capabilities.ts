/* APIs that are detected here and not in `capabilities.ts`, which is loaded at the start. */

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
