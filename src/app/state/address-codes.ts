import { consumeSearchParam } from '../platform/address-bar.ts';
import { sessionStore } from '../platform/capabilities.ts';

const names = ['setup', 'invitation'] as const;

type CodeName = (typeof names)[number];

const keyOf = (name: CodeName) => `fourfold.${name}`;

/**
 * A code that the address brought: the one for the first account, which the terminal prints (`/?setup=<code>`), or an
 * invitation. It is removed from the address. Stored for this tab until an account exists or the dialog is closed,
 * because the password page reloads the window and a provider may take its place.
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

export function clearAddressCodes(): void {
  for (const name of names) sessionStore()?.removeItem(keyOf(name));
}
