import { consumeSearchParam } from '../platform/address-bar.ts';
import { sessionStore } from '../platform/capabilities.ts';

const key = 'fourfold.setup-code';

/**
 * The code for the first account, from the address that the terminal shows (`/?setup=<code>`), which it leaves at once. This tab remembers it until an
 * account is made or the dialog is closed: the password page loads the window anew.
 */
export function readSetupCode(): string | null {
  const code = consumeSearchParam('setup');
  try {
    if (code !== null) sessionStore()?.setItem(key, code);
    return code ?? sessionStore()?.getItem(key) ?? null;
  } catch {
    // Full, or closed to this site: the code then lives as long as the page.
    return code;
  }
}

export function clearSetupCode(): void {
  sessionStore()?.removeItem(key);
}
