import { proxy } from 'valtio/vanilla';
import { localStore } from '../platform/capabilities.ts';

export const venueKey = 'fourfold.venue';

interface VenueState {
  /** This device plays by itself, and is locked. The choice lasts until it is taken back. */
  isOn: boolean;
  /** It was unlocked, and is locked again when the feed is on screen. */
  isUnlocked: boolean;
}

export const venue = proxy<VenueState>({ isOn: isChosen(), isUnlocked: false });

/** `/?venue=1` chooses it as well; `venue-setup.ts` stores the choice. */
function isChosen(): boolean {
  try {
    return /[?&]venue=1(&|$)/.test(location.search) || localStore()?.getItem(venueKey) === 'on';
  } catch {
    // Storage is blocked: nothing is stored there.
    return false;
  }
}
