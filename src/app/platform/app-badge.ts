interface BadgedNavigator {
  setAppBadge(count: number): Promise<void>;
  clearAppBadge(): Promise<void>;
}

/**
 * A count on the icon of the installed app; 0 removes it. Chromium 81 on desktops, Safari 16.4; nothing elsewhere, and
 * where the app is not installed.
 */
export function showAppBadge(count: number): void {
  if (!('setAppBadge' in navigator)) return;
  const badged = navigator as unknown as BadgedNavigator;
  void (count > 0 ? badged.setAppBadge(count) : badged.clearAppBadge()).catch(ignoreRefusal);
}

/** The system shows no badges, or none of this app. */
function ignoreRefusal(): void {}
