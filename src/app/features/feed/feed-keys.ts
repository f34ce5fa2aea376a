import type { RemoteKey } from '#app/platform/input/remote-keys.ts';
import { isTyping, remoteKeyOf } from '#app/platform/input/remote-keys.ts';
import { smallWindows } from '#app/platform/later-capabilities.ts';
import { isCovered, openDialog } from '#app/state/navigation.ts';
import { changeSettings, settings } from '#app/state/settings.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { after } from '#device/timers.ts';
import { controls, leaveControls, quadrantMenu, sectionOf, showControls } from './controls/controls-store.ts';
import { expand, feed } from './feed-state.ts';
import { seekBy, toggleMute } from './quadrant/player-actions.ts';
import { setAllPaused, setPaused, skip, skipBack, togglePaused, togglePin } from './quadrant/quadrant-machine.ts';
import { hearOnly, shareMediaSession, toggleMuteAll } from './quadrant/sound.ts';

const actions: Record<ShortcutAct, (quadrant: Quadrant) => void> = {
  'seek-back': (quadrant) => seekBy(quadrant, -1),
  'seek-forward': (quadrant) => seekBy(quadrant, 1),
  mute: toggleMute,
  pin: togglePin,
};

/** A remote's media keys act on the quadrant that has the focus ring. */
const mediaActions: Partial<Record<RemoteKey, (quadrant: Quadrant) => void>> = {
  next: skip,
  previous: skipBack,
  forward: actions['seek-forward'],
  rewind: actions['seek-back'],
  'play-pause': togglePaused,
  play: (quadrant) => setPaused(quadrant, false),
  pause: (quadrant) => setPaused(quadrant, true),
  stop: (quadrant) => setPaused(quadrant, true),
};

/**
 * A remote's colour keys select the quadrants in reading order; a held one is all that is heard.
 */
const colours: Partial<Record<RemoteKey, Quadrant>> = {
  red: 'top-left',
  green: 'top-right',
  yellow: 'bottom-left',
  blue: 'bottom-right',
};

/**
 * Handles the feed's keys wherever the focus is, and those of the lock screen, while the feed is on
 * screen. Returns a function that stops it.
 */
export function watchFeedKeys(): () => void {
  const stopSharing = shareMediaSession();
  document.addEventListener('keydown', handleFeedKey);
  return () => {
    document.removeEventListener('keydown', handleFeedKey);
    stopSharing();
  };
}

/** Handles one key of those that `watchFeedKeys` listens to. */
export function handleFeedKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || !feed.isStarted || isCovered() || quadrantMenu.of !== null || isTyping(event.target))
    return;
  if (pressRemoteKey(event) || (settings.areShortcutsOn && pressShortcut(event))) event.preventDefault();
}

function pressRemoteKey(event: KeyboardEvent): boolean {
  const key = remoteKeyOf(event);
  if (key === null) return false;
  if (key === 'info') toggleStatistics();
  // The menu replaces the level of the controls: Back from it leads to the grid.
  if (key === 'menu') leaveControls();
  const colour = colours[key];
  if (colour) focusQuadrant(colour);
  if (colour && event.repeat) hearOnly(colour);
  const act = key === 'play-pause' && event.repeat ? pauseAllAlike : mediaActions[key];
  if (act) actOn(act, ringedQuadrant());
  const isChannel = key === 'channel-up' || key === 'channel-down';
  if (isChannel && !event.repeat) pressChannelKey(key === 'channel-up' ? 1 : -1);
  return key === 'info' || colour !== undefined || act !== undefined || isChannel;
}

/** If the file or the channels do not load, the key can be pressed again. */
function pressChannelKey(direction: -1 | 1): void {
  const quadrant = ringedQuadrant();
  import('./filter/channel-keys.ts')
    .then(({ stepChannel }) => stepChannel(quadrant, direction))
    .catch(ignoreMissingFile);
}

/** If the file does not load, the key can be pressed again. */
function pressFavouriteKey(): void {
  const quadrant = ringedQuadrant();
  import('./controls/video-entries.tsx')
    .then(({ changeFavourite }) => changeFavourite(quadrant))
    .catch(ignoreMissingFile);
}

/** Gives all quadrants the state of the first one, when Play/Pause is held. */
function pauseAllAlike(quadrant: Quadrant): void {
  setAllPaused(feed.quadrants[quadrant].isPaused);
}

function pressShortcut(event: KeyboardEvent): boolean {
  const act = actForAll(event);
  if (act) {
    if (!event.repeat) act();
    return true;
  }
  const alone = heardAlone(event);
  if (alone) {
    actOn(hearOnly, alone);
    return true;
  }
  const shortcut = shortcutOf(event);
  if (!shortcut) return false;
  const isSeek = shortcut.act === 'seek-back' || shortcut.act === 'seek-forward';
  if (isSeek || !event.repeat) actOn(actions[shortcut.act], shortcut.quadrant);
  return true;
}

/** Returns the action of a key that belongs to no quadrant, or null. */
function actForAll(event: KeyboardEvent): (() => void) | null {
  if (isHelpKey(event)) return () => openDialog('shortcuts');
  if (isStatisticsKey(event)) return toggleStatistics;
  if (isLetter(event, 'm')) return toggleMuteAll;
  if (isLetter(event, 'h')) return pressFavouriteKey;
  return isSmallWindowKey(event) ? switchSmallWindow : null;
}

/**
 * The keys do not move the focus, so the controls of the quadrant show what changed, unless another
 * one is in front of it.
 */
function actOn(act: (quadrant: Quadrant) => void, quadrant: Quadrant): void {
  act(quadrant);
  if (controls.entered !== quadrant && !isBehindAnother(quadrant)) showControls(quadrant, 'key');
}

/**
 * Shows the videos in a window of their own, or brings them back. Its keys are those of the feed.
 */
export function switchSmallWindow(): void {
  import('./small-window.tsx')
    .then(({ toggleSmallWindow }) => toggleSmallWindow(handleFeedKey))
    .catch(ignoreMissingFile);
}

/** The button and the key can be pressed again. */
function ignoreMissingFile(): void {}

function toggleStatistics(): void {
  changeSettings({ areStatisticsShown: !settings.areStatisticsShown });
}

function ringedQuadrant(): Quadrant {
  const section = document.activeElement?.closest<HTMLElement>('[data-quadrant]');
  const focused = quadrants.find((quadrant) => quadrant === section?.dataset.quadrant);
  return focused ?? controls.active ?? feed.expanded ?? quadrants[0];
}

/** Whether another quadrant fills the screen. */
function isBehindAnother(quadrant: Quadrant): boolean {
  return feed.expanded !== null && feed.expanded !== quadrant;
}

/** A quadrant behind an expanded one takes its place, and the focus once it is drawn there. */
function focusQuadrant(quadrant: Quadrant): void {
  const focus = () => sectionOf(quadrant)?.focus({ preventScroll: true });
  if (isBehindAnother(quadrant)) {
    expand(quadrant);
    after(0, focus);
  } else focus();
  showControls(quadrant, 'key');
}

export type ShortcutAct = 'seek-back' | 'seek-forward' | 'mute' | 'pin';

interface Shortcut {
  quadrant: Quadrant;
  act: ShortcutAct;
}

/** §2 Feed: the sixteen keys, one quadrant per row, in the order of `acts`. */
const keys: Record<Quadrant, readonly [string, string, string, string]> = {
  'top-left': ['q', '1', 'a', 'z'],
  'top-right': ['w', '2', 's', 'x'],
  'bottom-left': ['e', '3', 'd', 'c'],
  'bottom-right': ['r', '4', 'f', 'v'],
};

export const acts: readonly ShortcutAct[] = ['seek-back', 'seek-forward', 'mute', 'pin'];

const shortcuts = new Map<string, Shortcut>(
  Object.entries(keys).flatMap(([quadrant, row]) =>
    row.map((key, at) => [key, { quadrant: quadrant as Quadrant, act: acts[at] as ShortcutAct }] as const),
  ),
);

type Press = Pick<KeyboardEvent, 'key' | 'code' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey'>;

/**
 * Returns the action of one of the sixteen keys. A press with a modifier belongs to the browser or
 * the system.
 */
export function shortcutOf(press: Press): Shortcut | null {
  if (isModified(press)) return null;
  return shortcuts.get(press.key.toLowerCase()) ?? shortcuts.get(digitOf(press.code)) ?? null;
}

/** §2 Added controls: the quadrant whose mute key is pressed with Shift, else null. */
export function heardAlone(press: Press): Quadrant | null {
  const { key, code, altKey, ctrlKey, metaKey, shiftKey } = press;
  if (!shiftKey) return null;
  const shortcut = shortcutOf({ key, code, altKey, ctrlKey, metaKey, shiftKey: false });
  return shortcut?.act === 'mute' ? shortcut.quadrant : null;
}

/** §2 Feed: the key that shows the statistics. */
export function isStatisticsKey(press: Press): boolean {
  return isLetter(press, 'i');
}

/** §2 Added controls: the key that shows the videos in a small window, and brings them back. */
function isSmallWindowKey(press: Press): boolean {
  return isLetter(press, 'o') && smallWindows() !== undefined;
}

/** The help key is recognized by its character, whichever modifiers the keyboard needs for it. */
function isHelpKey({ key, altKey, ctrlKey, metaKey }: Press): boolean {
  return key === '?' && !altKey && !ctrlKey && !metaKey;
}

/** The key's label, for the hint on a button. */
export function keyFor(quadrant: Quadrant, act: ShortcutAct): string {
  return keys[quadrant][acts.indexOf(act)]?.toUpperCase() ?? '';
}

function isLetter(press: Press, letter: string): boolean {
  return press.key.toLowerCase() === letter && !isModified(press);
}

function isModified({ altKey, ctrlKey, metaKey, shiftKey }: Press): boolean {
  return altKey || ctrlKey || metaKey || shiftKey;
}

/** Recognizes digits by their key position, for keyboards where digits need Shift (French). */
function digitOf(code: string): string {
  return /^Digit[1-4]$/.test(code) ? code.slice(-1) : '';
}
