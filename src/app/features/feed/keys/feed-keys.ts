import type { RemoteKey } from '#app/platform/input/remote-keys.ts';
import { remoteKeyOf } from '#app/platform/input/remote-keys.ts';
import { isCovered, openDialog } from '#app/state/navigation.ts';
import { changeSettings, settings } from '#app/state/settings.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { controls, leaveControls, showControls } from '../controls/controls-store.ts';
import { seekBy } from '../controls/seek.ts';
import { toggleMute } from '../controls/sound.ts';
import { quadrantMenu } from '../menu/quadrant-menu-store.ts';
import { feed } from '../quadrant/feed-state.ts';
import { setAllPaused, setPaused, skip, skipBack, togglePaused, togglePin } from '../quadrant/quadrant-actions.ts';
import { sectionOf } from '../view/quadrant-section.ts';
import type { ShortcutAct } from './shortcuts.ts';
import { isHelpKey, isStatisticsKey, shortcutOf } from './shortcuts.ts';

const actions: Record<ShortcutAct, (quadrant: Quadrant) => void> = {
  'seek-back': (quadrant) => seekBy(quadrant, -1),
  'seek-forward': (quadrant) => seekBy(quadrant, 1),
  mute: toggleMute,
  pin: togglePin,
};

/** A remote's own keys act on the quadrant that has the ring. */
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

/** Red, green, yellow and blue lie on a remote as the quadrants are read. */
const colours: Partial<Record<RemoteKey, Quadrant>> = {
  red: 'top-left',
  green: 'top-right',
  yellow: 'bottom-left',
  blue: 'bottom-right',
};

/** Hears the keys of the feed wherever the focus is, while the feed is the view. Returns what stops it. */
export function watchKeys(): () => void {
  document.addEventListener('keydown', hear);
  return () => document.removeEventListener('keydown', hear);
}

function hear(event: KeyboardEvent): void {
  if (event.defaultPrevented || !feed.isStarted || isCovered() || quadrantMenu.of !== null || isTyping(event.target))
    return;
  if (pressRemoteKey(event) || (settings.areShortcutsOn && pressShortcut(event))) event.preventDefault();
}

function pressRemoteKey(event: KeyboardEvent): boolean {
  const key = remoteKeyOf(event);
  if (key === null) return false;
  if (key === 'info') toggleStatistics();
  // The menu replaces the controls' level: Back from it leads to the grid.
  if (key === 'menu') leaveControls();
  const colour = colours[key];
  if (colour) focusQuadrant(colour);
  const act = key === 'play-pause' && event.repeat ? pauseAllAlike : mediaActions[key];
  if (act) actOn(act, ringedQuadrant());
  return key === 'info' || colour !== undefined || act !== undefined;
}

/** Play/Pause held: the others are paused or played like the first one. */
function pauseAllAlike(quadrant: Quadrant): void {
  setAllPaused(feed.quadrants[quadrant].isPaused);
}

function pressShortcut(event: KeyboardEvent): boolean {
  if (isHelpKey(event)) {
    openDialog('shortcuts');
    return true;
  }
  if (isStatisticsKey(event)) {
    if (!event.repeat) toggleStatistics();
    return true;
  }
  const shortcut = shortcutOf(event);
  if (!shortcut) return false;
  const isSeek = shortcut.act === 'seek-back' || shortcut.act === 'seek-forward';
  if (isSeek || !event.repeat) actOn(actions[shortcut.act], shortcut.quadrant);
  return true;
}

/** The keys move no focus: what they changed is shown where it changed. */
function actOn(act: (quadrant: Quadrant) => void, quadrant: Quadrant): void {
  act(quadrant);
  if (controls.entered !== quadrant) showControls(quadrant, 'key');
}

function toggleStatistics(): void {
  changeSettings({ areStatisticsShown: !settings.areStatisticsShown });
}

function ringedQuadrant(): Quadrant {
  const section = document.activeElement?.closest<HTMLElement>('[data-quadrant]');
  const focused = quadrants.find((quadrant) => quadrant === section?.dataset.quadrant);
  return focused ?? controls.active ?? feed.expanded ?? quadrants[0];
}

function focusQuadrant(quadrant: Quadrant): void {
  sectionOf(quadrant)?.focus({ preventScroll: true });
  showControls(quadrant, 'key');
}

/** A slider is an input without text. */
function isTyping(target: EventTarget | null): boolean {
  const element = target as HTMLElement | null;
  return element?.matches?.('input:not([type="range"]), textarea, select, [contenteditable]') === true;
}
