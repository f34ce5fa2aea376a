/** Unprefixed from Chromium 71, Firefox 64, Safari 16.4. */
type OldElement = HTMLElement & { webkitRequestFullscreen?: () => void };
type OldDocument = Document & { webkitFullscreenElement?: Element | null; webkitExitFullscreen?: () => void };

/** Whether a page may show one of its elements on the whole screen: iPhones allow that to none. */
export function canFillScreen(): boolean {
  const root: OldElement = document.documentElement;
  return 'requestFullscreen' in root || 'webkitRequestFullscreen' in root;
}

/** Shows the element on the whole screen, or gives the screen back. To be called inside a press. */
export async function toggleFullScreen(element: OldElement): Promise<void> {
  const page: OldDocument = document;
  try {
    if (page.fullscreenElement ?? page.webkitFullscreenElement)
      await (page.exitFullscreen?.() ?? page.webkitExitFullscreen?.());
    else await (element.requestFullscreen?.() ?? element.webkitRequestFullscreen?.());
  } catch {
    // Refused by the browser or its policy: the element stays as it is, and the button can be pressed again.
  }
}
