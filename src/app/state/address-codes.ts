import { consumeSearchParam } from '../platform/address-bar.ts';
import { sessionStore } from '../platform/capabilities.ts';

type CodeName = 'setup' | 'invitation' | 'share';

const keyOf = (name: CodeName) => `fourfold.${name}`;

/**
 * A code that the address brought: the one for the first account, which the terminal prints (`/?setup=<code>`), an
 * invitation, or files that were shared into the app. It is removed from the address. Stored for this tab until it is
 * cleared, because the password page reloads the window and a provider may take its place.
 */
export function readAddressCode(name: CodeName): string | null {
  const code = consumeSearchParam(name);
  try {
    if (code !== null) sessionStore()?.setItem(keyOf(name), code);
    return code ?? sessionStore()?.getItem(keyOf(name)) ?? null;
  } catch {
    // Storage is full or blocked: the code lasts as long as the page.
    return code;
  }
}

export function clearAddressCodes(...names: CodeName[]): void {
  for (const name of names) sessionStore()?.removeItem(keyOf(name));
}
