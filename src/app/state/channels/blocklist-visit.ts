import { openView } from '../navigation.ts';

let isWanted = false;

/** Opens Profile at its blocklist. */
export function visitBlocklist(): void {
  isWanted = true;
  openView('profile');
}

/** Whether Profile was opened for its blocklist; given out once. */
export function claimBlocklistVisit(): boolean {
  const wasWanted = isWanted;
  isWanted = false;
  return wasWanted;
}
