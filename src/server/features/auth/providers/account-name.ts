import { limits } from '#contract/limits.ts';
import type { Executor } from '../../../database/tables.ts';
import { isReserved } from '../../users/taken-names.ts';
import { findTaken } from '../../users/user-repository.ts';

const maxTries = 50;

/**
 * A username for somebody who chose none here: the provider's, or the address's first part, with a number where it is
 * taken.
 */
export async function chooseUsername(
  executor: Executor,
  candidates: readonly (string | null)[],
  random: () => string,
): Promise<string> {
  const preferred = candidates.map(toUsername).find((name) => name !== null) ?? 'viewer';
  for (let number = 1; number <= maxTries; number += 1) {
    const username = number === 1 ? preferred : `${preferred.slice(0, limits.usernameMaxCharacters - 4)}-${number}`;
    if (!isReserved(username) && (await findTaken(executor, { username })).length === 0) return username;
  }
  return `viewer-${random()}`;
}

/** A provider may send any length; nothing beyond this makes a name. */
const maxCandidateCharacters = 200;

/** What a name keeps of itself; null when that is too little. */
export function toUsername(name: string | null): string | null {
  const kept = (name ?? '')
    .slice(0, maxCandidateCharacters)
    .normalize('NFKD')
    .slice(0, maxCandidateCharacters)
    .replace(/@.*$/, '')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, limits.usernameMaxCharacters);
  return kept.length >= limits.usernameMinCharacters ? kept : null;
}
