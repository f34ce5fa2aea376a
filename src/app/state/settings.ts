import { proxy, subscribe } from 'valtio/vanilla';
import { subscribeKey } from 'valtio/vanilla/utils';
import { chooseForm, remoteSuspected } from '#app/platform/input/screen-form.ts';
import type { Settings as AccountSettings } from '#contract/entities/user.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { QualityChoice } from '#contract/rules/rendition.ts';
import type { Shuffle } from '#contract/rules/settings.ts';
import { audioCookie, isSkipDuration, screenForms, shuffleCookie } from '#contract/rules/settings.ts';
import { localStore } from '../platform/capabilities.ts';
import { isVenueClosed } from '../playback/learned-device.ts';
import { openDialog } from './navigation.ts';
import { session } from './session.ts';

const screenLayouts = ['automatic', ...screenForms] as const;

export type ScreenLayout = (typeof screenLayouts)[number];

const pictureFits = ['fill', 'whole'] as const;

const qualityChoices: readonly QualityChoice[] = ['automatic', 'light', 'best'];

interface ViewerSettings {
  /** Seconds of one seek step; labelled 'Video Skip Duration'. */
  seekStepSeconds: number;
  areStatisticsShown: boolean;
  /** The sixteen letters and digits of §2 Feed. */
  areShortcutsOn: boolean;
  screenLayout: ScreenLayout;
  /** The TV layout was offered on this device. */
  isTvOffered: boolean;
  /** Whether a picture of another shape fills its quadrant, and loses its edges, or is shown whole. */
  pictureFit: (typeof pictureFits)[number];
  /** The kind of encodings that this device gets. */
  quality: QualityChoice;
  /** The language of the audio track that was chosen last, a BCP 47 tag; null without a choice. */
  audioLanguage: string | null;
  /** Whether every video comes once before any comes again, or each draw is random. */
  shuffle: Shuffle;
  /** 0 to 1, by quadrant. */
  volumes: Record<Quadrant, number>;
}

const key = 'fourfold.settings';

/** The settings that are stored on this device. */
let deviceSettings = readSettings();

/** The settings in effect: the account's while a user is signed in, else the device's. */
export const settings = proxy<ViewerSettings>({ ...deviceSettings });

/**
 * Applies the choice and stores it on this device.
 * @returns whether it was stored; otherwise it lasts as long as the page
 */
export function changeSettings(choice: Partial<ViewerSettings>): boolean {
  deviceSettings = { ...deviceSettings, ...choice };
  Object.assign(settings, choice);
  try {
    const store = localStore();
    store?.setItem(key, JSON.stringify(deviceSettings));
    return store !== null;
  } catch {
    // Storage is full or blocked.
    return false;
  }
}

/** Reads the stored settings again. */
export function loadSettings(): void {
  deviceSettings = readSettings();
  Object.assign(settings, deviceSettings, accountChoice());
}

/**
 * Applies the account's settings while a user is signed in (§3 User). Returns a function that stops
 * it.
 */
export function subscribeAccountSettings(): () => void {
  applyAccountSettings();
  return subscribe(session, applyAccountSettings);
}

function applyAccountSettings(): void {
  const { seekStepSeconds, areShortcutsOn, shuffle } = deviceSettings;
  Object.assign(settings, { seekStepSeconds, areShortcutsOn, shuffle }, accountChoice());
}

function accountChoice(): Partial<ViewerSettings> {
  return session.user ? toChoice(session.user.settings) : {};
}

function toChoice({
  skip_duration_seconds: seekStepSeconds,
  shortcut_keys: areShortcutsOn,
  shuffle,
}: AccountSettings): Partial<ViewerSettings> {
  return { seekStepSeconds, areShortcutsOn, shuffle };
}

/** Each invalid field gets its default: another version or program may have written it. */
function readSettings(): ViewerSettings {
  const stored = readStored();
  const {
    seekStepSeconds,
    areStatisticsShown,
    areShortcutsOn,
    screenLayout,
    isTvOffered,
    pictureFit,
    quality,
    audioLanguage,
    shuffle,
    volumes,
  } = stored;
  return {
    seekStepSeconds:
      typeof seekStepSeconds === 'number' && isSkipDuration(seekStepSeconds)
        ? seekStepSeconds
        : limits.skipDurationSeconds,
    areStatisticsShown: areStatisticsShown === true,
    areShortcutsOn: areShortcutsOn !== false,
    screenLayout: screenLayouts.find((layout) => layout === screenLayout) ?? 'automatic',
    isTvOffered: isTvOffered === true,
    pictureFit: pictureFits.find((fit) => fit === pictureFit) ?? 'fill',
    quality: qualityChoices.find((choice) => choice === quality) ?? 'automatic',
    audioLanguage: isLanguage(audioLanguage) ? audioLanguage : null,
    shuffle: shuffle === 'random' ? shuffle : 'once',
    volumes: readVolumes(volumes),
  };
}

function isLanguage(stored: unknown): stored is string {
  return typeof stored === 'string' && stored.length <= limits.languageCharacters;
}

function readVolumes(stored: unknown): Record<Quadrant, number> {
  const volumes = isRecord(stored) ? stored : {};
  return Object.fromEntries(quadrants.map((quadrant) => [quadrant, volumeOf(volumes[quadrant])])) as Record<
    Quadrant,
    number
  >;
}

function volumeOf(stored: unknown): number {
  return typeof stored === 'number' && stored >= limits.volumeMin && stored <= limits.volumeMax
    ? stored
    : limits.volumeMax;
}

function readStored(): Record<string, unknown> {
  try {
    const stored: unknown = JSON.parse(localStore()?.getItem(key) ?? '{}');
    return isRecord(stored) ? stored : {};
  } catch {
    return {};
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Applies the layout chosen in Profile for this device, instead of the detected one, and how
 * pictures fit. Returns a function that stops it.
 */
export function watchLayoutChoice(): () => void {
  applyLayout();
  applyFit();
  const stops = [
    subscribeKey(settings, 'screenLayout', applyLayout),
    subscribeKey(settings, 'pictureFit', applyFit),
    remoteSuspected.listen(offerTvLayout),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Once, and not where a layout was chosen. */
function offerTvLayout(): void {
  if (settings.screenLayout !== 'automatic' || settings.isTvOffered || venue.isOn) return;
  changeSettings({ isTvOffered: true });
  openDialog('tv-layout');
}

function applyFit(): void {
  document.documentElement.dataset.fit = settings.pictureFit;
}

function applyLayout(): void {
  const { screenLayout } = settings;
  chooseForm(screenLayout === 'automatic' ? null : screenLayout);
}

const cookieSeconds = 365 * 24 * 60 * 60;

/** Tells the server how it draws for this browser while nobody is signed in. */
export function announceShuffle(shuffle: Shuffle): void {
  putCookie(shuffleCookie, shuffle === 'random' ? shuffle : null);
}

/** Tells the server in which language the first videos of a page are to be heard. */
export function announceAudioLanguage(): void {
  putCookie(audioCookie, settings.audioLanguage);
}

function putCookie(name: string, value: string | null): void {
  const seconds = value === null ? 0 : cookieSeconds;
  // biome-ignore lint/suspicious/noDocumentCookie: Chromium 68, and every page without https, has no other way.
  document.cookie = `${name}=${encodeURIComponent(value ?? '')};path=/;max-age=${seconds};samesite=lax`;
}

export const venueKey = 'fourfold.venue';

interface VenueState {
  /** This device plays by itself, and is locked. The choice lasts until it is taken back. */
  isOn: boolean;
  /** It was unlocked, and is locked again when the feed is on screen. */
  isUnlocked: boolean;
  /** Its hours have not begun: no video is requested. */
  isAsleep: boolean;
}

export const venue = proxy<VenueState>({ isOn: isChosen(), isUnlocked: false, isAsleep: isAsleep() });

/** An address that asks for something wakes it. */
function isAsleep(): boolean {
  return isChosen() && location.search === '' && isVenueClosed();
}

/** `/?venue=1` chooses it as well; `venue-setup.ts` stores the choice. */
function isChosen(): boolean {
  try {
    return /[?&]venue=1(&|$)/.test(location.search) || localStore()?.getItem(venueKey) === 'on';
  } catch {
    // Storage is blocked: nothing is stored there.
    return false;
  }
}
