import { consumeSearchParam } from '../platform/address-bar.ts';
import { sessionStore } from '../platform/capabilities.ts';

const key = 'fourfold.setup-code';

/**
 * The code for the first account, from the address that the terminal prints (`/?setup=<code>`); it is removed from the
 * address. Stored for this tab until an account exists or the dialog is closed, because the password page reloads the
 * window.
 */
export function readSetupCode(): string | null {
  const code = consumeSearchParam('setup');
  try {
    if (code !== null) sessionStore()?.setItem(key, code);
    return code ?? sessionStore()?.getItem(key) ?? null;
  } catch {
    // Storage is full or blocked: the code lasts as long as the page.
    return code;
  }
}

export function clearSetupCode(): void {
  sessionStore()?.removeItem(key);
}
