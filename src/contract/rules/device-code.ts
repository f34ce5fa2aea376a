import { limits } from '#contract/limits.ts';

/** Consonants that nobody mistakes for one another, and that spell no words (RFC 8628 section 6.1). */
export const userCodeAlphabet = 'BCDFGHJKLMNPQRSTVWXZ';

/** A code as it was meant: capitals, without the dash and the blanks of its reader. */
export function normalizeUserCode(typed: string): string {
  return typed.toUpperCase().replace(/[\s-]/g, '');
}

export function checkUserCode(typed: string): string | null {
  const code = normalizeUserCode(typed);
  const isCode =
    code.length === limits.deviceCodeCharacters &&
    Array.from(code).every((letter) => userCodeAlphabet.includes(letter));
  return isCode ? null : `Enter the ${limits.deviceCodeCharacters} letters that the TV shows`;
}

/** A code in two halves, as a TV shows it. */
export function userCodeText(code: string): string {
  const half = code.length / 2;
  return `${code.slice(0, half)}-${code.slice(half)}`;
}
