/*
 * Detected here and not in `capabilities.ts`, which belongs to the files of the start.
 */

/** Chromium 66, Safari 13.1, Firefox 63; absent on plain-http addresses. */
function clipboard(): Clipboard | undefined {
  return navigator.clipboard as Clipboard | undefined;
}

/**
 * Opens the system's dialog for sharing: Safari 12.1, Chromium 61 on Android and 89 elsewhere; absent on plain-http
 * addresses.
 */
export function shareSheet(): ((data: ShareData) => Promise<void>) | undefined {
  // A rejection says that the dialog was closed without sharing.
  return 'share' in navigator ? (data) => navigator.share(data).catch(() => {}) : undefined;
}

/**
 * Copies the text of an element. Where there is no clipboard, or its use is refused, the text is selected and copied by
 * the browser's own command; it stays selected then. Returns whether it was copied.
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
