import { proxy } from 'valtio/vanilla';
import { subscribeKey } from 'valtio/vanilla/utils';
import type { PerformanceReport } from '#contract/entities/performance.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { cleanName } from '#contract/rules/text.ts';
import { newRandomId } from '#device/random-id.ts';
import { now } from '#device/timers.ts';
import { localStore } from '../platform/capabilities.ts';
import { consumeSearchParam } from '../platform/http/address.ts';
import { sendReport } from '../playback/health/performance-reporter.ts';
import { closeDialog, closeMenu, navigation, openView } from './navigation.ts';
import type { SavedFilters } from './saved-filters.ts';
import { readSavedFilters, savedFiltersKey } from './saved-filters.ts';
import { isAmong, session } from './session.ts';
import { venue, venueKey } from './settings.ts';

interface VenueHours {
  readonly opens: number;
  readonly closes: number;
}

interface VenueSetup {
  /** Random; administrators tell screens of one name apart by it. */
  readonly id: string;
  name: string;
  /** Minutes after midnight, local time; null: it is always open. */
  hours: VenueHours | null;
  /** 4 to 8 digits; null: nobody is asked. */
  pin: string | null;
  /** True once somebody has been signed in here while it played. */
  hasAccount: boolean;
}

type StoredPart = 'setup' | 'grid' | 'reloads' | 'tries' | 'stills';

const keyOf = (part: StoredPart) => `${venueKey}-${part}`;

/** Reads a stored part of venue mode; null when there is none, or another program has written it. */
export function readPart(part: StoredPart): unknown {
  try {
    return JSON.parse(localStore()?.getItem(keyOf(part)) ?? 'null');
  } catch {
    return null;
  }
}

/** @returns whether it was stored; otherwise it lasts as long as the page */
export function storePart(part: StoredPart, value: unknown): boolean {
  try {
    localStore()?.setItem(keyOf(part), JSON.stringify(value));
    return Boolean(localStore());
  } catch {
    // Storage is full or blocked.
    return false;
  }
}

const usualName = 'Venue';
const minutesOfDay = 24 * 60;

/** Each invalid field gets its default. */
function readSetup(): VenueSetup {
  const stored = (readPart('setup') ?? {}) as Partial<Record<keyof VenueSetup, unknown>>;
  const { id, name, hours, pin, hasAccount } = stored;
  const isId = typeof id === 'string' && id !== '' && id.length <= limits.idCharacters;
  return {
    id: isId ? id : newRandomId(),
    name: typeof name === 'string' ? toVenueName(name) : usualName,
    hours: areHours(hours) ? hours : null,
    pin: isPin(pin) ? pin : null,
    hasAccount: hasAccount === true,
  };
}

/** Takes out invisible characters; a name without any others becomes the usual one. */
export function toVenueName(typed: string): string {
  return cleanName(typed).slice(0, limits.venueNameCharacters).trim() || usualName;
}

export function isPin(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4,8}$/.test(value);
}

function areHours(value: unknown): value is VenueHours {
  const { opens, closes } = (value ?? {}) as { opens?: unknown; closes?: unknown };
  return [opens, closes].every((at) => Number.isInteger(at) && (at as number) >= 0 && (at as number) < minutesOfDay);
}

/** The setup of this device as a venue. It is read once, and stored with each change. */
export const venueSetup = proxy<VenueSetup>(readSetup());

export function changeSetup(change: Partial<Omit<VenueSetup, 'id'>>): void {
  Object.assign(venueSetup, change);
  storePart('setup', venueSetup);
}

/** Puts this device into venue mode, from now on also after a reload. */
export function startVenue(): void {
  storePart('grid', null);
  storePart('tries', null);
  venue.isOn = true;
  lockVenue();
}

/**
 * Stores the choice. The address loses its parameter only then: where nothing can be stored, it is
 * what makes a reload return.
 */
export function keepChoice(): void {
  isEndAsked ||= /[?&]venue=0(&|$)/.test(location.search);
  storePart('setup', venueSetup);
  try {
    localStore()?.setItem(venueKey, 'on');
    if (localStore()?.getItem(venueKey) === 'on') consumeSearchParam('venue');
  } catch {
    // Storage is full or blocked.
  }
}

type VenueFacts = Omit<NonNullable<PerformanceReport['venue']>, 'id' | 'name' | 'version'>;

/** Tells the administrators of the site that this device is a venue; a failure is not repeated. */
export function reportVenue(facts: VenueFacts): void {
  const { id, name } = venueSetup;
  void sendReport([], { venue: { id, name, version: import.meta.env.APP_VERSION, ...facts } });
}

/** @param areKept whether they last until they are saved again, or as long as any other filter */
export function saveFilters(filters: SavedFilters, areKept: boolean): void {
  const own = Object.entries(filters) as [Quadrant, object][];
  const changed = own.map(([quadrant, filter]) => [quadrant, { ...filter, timestamp: now(), isKept: areKept }]);
  try {
    localStore()?.setItem(savedFiltersKey, JSON.stringify(Object.fromEntries(changed)));
  } catch {
    // Storage is full or blocked: they last as long as the page.
  }
}

export function endVenue(): void {
  saveFilters(readSavedFilters(), false);
  reportVenue({ playing: 0, has_ended: true });
  Object.assign(venue, { isOn: false, isUnlocked: false });
  consumeSearchParam('venue');
  try {
    localStore()?.removeItem(venueKey);
  } catch {
    // Storage is blocked: nothing is stored there.
  }
}

/** Whether the address asked to end it (`/?venue=0`), which administrators may do without the PIN. */
let isEndAsked = false;

/** Ends it once an administrator is known to be signed in. */
export function endIfAsked(): void {
  if (isEndAsked && session.phase === 'known' && isAmong(session.user, 'admin')) endVenue();
}

/** Shows the venue, whatever was open. */
export function lockVenue(): void {
  closeDialog();
  closeMenu();
  openView('feed');
  venue.isUnlocked = false;
}

/** Opens Profile. The way back to the feed locks it again. */
export function unlockVenue(): void {
  venue.isUnlocked = true;
  openView('profile');
  const stop = subscribeKey(navigation, 'view', (view) => {
    if (view !== 'feed') return;
    stop();
    if (venue.isOn) lockVenue();
  });
}

const freeTries = 5;
const waitMs = 60_000;

/**
 * Compares a PIN. After five wrong ones each further one has to wait a minute, also after a reload.
 * @returns the seconds to wait, if it was not compared
 */
export function tryPin(pin: string): 'right' | 'wrong' | number {
  const { count, at } = readTries();
  const since = now() - at;
  // A clock that was set back makes nobody wait longer.
  const left = count < freeTries || since < 0 ? 0 : waitMs - since;
  if (left > 0) return Math.ceil(left / 1000);
  const isRight = pin === venueSetup.pin;
  storePart('tries', isRight ? null : { count: count + 1, at: now() });
  return isRight ? 'right' : 'wrong';
}

function readTries(): { count: number; at: number } {
  const { count, at } = (readPart('tries') ?? {}) as { count?: unknown; at?: unknown };
  return { count: Number(count) || 0, at: Number(at) || 0 };
}

/** Whether a venue is open, and the seconds until that changes, and until it changes back. */
interface VenueTimes {
  isOpen: boolean;
  /** Null when it is always open. */
  closesIn: number | null;
  opensIn: number | null;
}

const always: VenueTimes = { isOpen: true, closesIn: null, opensIn: null };

/**
 * Hours may cross midnight; equal ones mean day and night. They are times of the device's own clock
 * and zone, so that a day of 23 or 25 hours begins and ends as the clock on the wall says.
 * @param hours minutes after midnight
 */
export function venueTimes(hours: VenueHours | null, at: Date): VenueTimes {
  if (hours === null || hours.opens === hours.closes) return always;
  const opensIn = secondsUntil(hours.opens, at);
  const closesIn = secondsUntil(hours.closes, at);
  // Both come at once where the clock jumps over them.
  const isOpen = closesIn === opensIn ? hours.closes < hours.opens : closesIn < opensIn;
  return { isOpen, closesIn: isOpen ? closesIn : 0, opensIn };
}

/**
 * Seconds until the clock shows this minute of a day, one at least. Of a minute that comes twice
 * the first one counts.
 */
function secondsUntil(minute: number, at: Date): number {
  const today = timeOn(at, 0, minute);
  const next = today > at ? today : timeOn(at, 1, minute);
  return Math.ceil((next.getTime() - at.getTime()) / 1000);
}

/** A minute that the clock jumps over in spring comes when it jumps. */
function timeOn(day: Date, daysLater: number, minute: number): Date {
  const time = new Date(day);
  time.setDate(time.getDate() + daysLater);
  time.setHours(0, minute, 0, 0);
  const isMissing = time.getHours() * 60 + time.getMinutes() !== minute;
  if (!isMissing) return time;
  const offset = time.getTimezoneOffset();
  const before = () => new Date(time.getTime() - 60_000);
  while (before().getTimezoneOffset() === offset) time.setTime(before().getTime());
  return time;
}
