import type { ScreenForm } from '#contract/rules/settings.ts';
import { screenForms } from '#contract/rules/settings.ts';
import { hasTouch, matches, sessionStore } from '../capabilities.ts';
import { consumeSearchParam } from '../http/address.ts';
import { createSignal } from '../signal.ts';

export type InputKind = 'pointer' | 'touch' | 'key' | 'remote';

/** The properties that decide the layout. */
export interface Device {
  userAgent: string;
  /** CSS pixels. */
  width: number;
  height: number;
  /** The primary pointing device: fine for a mouse, coarse for a finger. */
  pointer: 'fine' | 'coarse' | 'none';
  hasTouch: boolean;
}

/** Parts of the user agents of TV browsers. A headset's Samsung browser must not match. */
const tvName =
  /\b(smart-?tv|google ?tv|android ?tv|apple ?tv|hbbtv|netcast|web0s|webos\.tv|tizen|vidaa|viera|titanos|bravia|crkey|chromecast|leanback|mi ?tv|mi ?box|aft[a-z0-9]{1,6}|xbox|playstation)\b/i;
/**
 * Systems of TVs that do not say so: Silk in desktop mode, web views of Android TV. Both also run on
 * devices with a touch screen.
 */
const tvSystem = /\b(silk|android)\b/i;
/** Headsets, and desks without a mouse. */
const noTv = /\b(vr|quest|oculus\w*|windows nt|macintosh|cros)\b/i;

const phoneBelow = 600;
const tvFrom = 960;

/** The layout that fits the device. */
export function screenFormOf({ userAgent, width, height, pointer, hasTouch }: Device): ScreenForm {
  if (tvName.test(userAgent) && !/\bmobile\b/i.test(userAgent)) return 'tv';
  const isFarAway = !hasTouch && width > height && width >= tvFrom && !noTv.test(userAgent);
  if (isFarAway && (pointer !== 'fine' || tvSystem.test(userAgent))) return 'tv';
  if (pointer === 'coarse') return Math.min(width, height) < phoneBelow ? 'phone' : 'tablet';
  return width < phoneBelow ? 'phone' : 'desktop';
}

/** Keys that move the focus. Shortcut keys do not, and so do not show a focus ring. */
const movingKeys = new Set(['Tab', 'ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']);

/**
 * Raised once, when the first three inputs were arrows or OK although no mouse is there: somebody may
 * hold a remote.
 */
export const remoteSuspected = createSignal();

const keysOfRemotes = /^(Arrow\w+|Enter|Select|Accept)$/;
const suspiciousInputs = 3;

/** Raised when the layout has changed. */
export const formChanged = createSignal();

const addressKey = 'fourfold.form';

/** Undefined before the stored choice is read. */
let chosenForm: ScreenForm | null | undefined;
let applyForm = () => {};

/**
 * Sets the layout that the viewer chose; null: the one that fits the device. A URL such as
 * `/?form=tv` has precedence until the next reload.
 */
export function chooseForm(form: ScreenForm | null): void {
  if (chosenForm !== undefined && chosenForm !== form) sessionStore()?.removeItem(addressKey);
  chosenForm = form;
  applyForm();
}

/**
 * Reads the layout that the page's URL names. A page that is reloaded, for a new version or after
 * the password of the site, has the one of the URL with which it was opened.
 */
function readAddressForm(): string | null {
  const named = consumeSearchParam('form');
  const [visit] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  try {
    if (named === null && visit?.type === 'reload') return sessionStore()?.getItem(addressKey) ?? null;
    if (named === null) sessionStore()?.removeItem(addressKey);
    else sessionStore()?.setItem(addressKey, named);
  } catch {
    // Storage is full or blocked: the layout lasts as long as the page.
  }
  return named;
}

/** The current layout. */
export function currentForm(): ScreenForm {
  return (document.documentElement.dataset.form as ScreenForm | undefined) ?? 'desktop';
}

/** The kind of input that was used last. */
export function currentInput(): InputKind {
  return (document.documentElement.dataset.input as InputKind | undefined) ?? 'key';
}

/**
 * Writes `data-form` and `data-input` on the root element and updates them when the window or the
 * input changes.
 */
export function watchScreenForm(): void {
  const root = document.documentElement;
  const requested = readAddressForm();
  const addressForm = screenForms.find((form) => form === requested);
  // Any other input makes it NaN, which no further one changes.
  let remoteInputs = 0;
  const setInput = (input: InputKind) => {
    if (root.dataset.input !== input) root.dataset.input = input;
  };
  const setForm = () => {
    const form = addressForm ?? chosenForm ?? screenFormOf(thisDevice());
    if (form === root.dataset.form) return;
    root.dataset.form = form;
    formChanged.emit();
  };
  applyForm = setForm;

  setForm();
  setInput(currentForm() === 'tv' ? 'remote' : pointerOf() === 'coarse' ? 'touch' : 'pointer');
  window.addEventListener('resize', setForm);
  window.addEventListener(
    'pointerdown',
    (event) => {
      remoteInputs = Number.NaN;
      setInput(event.pointerType === 'mouse' ? 'pointer' : 'touch');
    },
    true,
  );
  window.addEventListener('pointermove', (event) => isMouseMoving(event) && setInput('pointer'), true);
  window.addEventListener(
    'keydown',
    (event) => {
      if (isMove(event)) setInput(currentForm() === 'tv' ? 'remote' : 'key');
      if (event.repeat) return;
      remoteInputs = keysOfRemotes.test(event.key) ? remoteInputs + 1 : Number.NaN;
      if (remoteInputs === suspiciousInputs && pointerOf() !== 'fine' && currentForm() !== 'tv') remoteSuspected.emit();
    },
    true,
  );
}

/** Whether a mouse really moves: browsers also send its position when a page appears under it. */
function isMouseMoving({ pointerType, movementX, movementY }: PointerEvent): boolean {
  return pointerType === 'mouse' && (movementX !== 0 || movementY !== 0);
}

function isMove(event: KeyboardEvent): boolean {
  return movingKeys.has(event.key) && !event.altKey && !event.ctrlKey && !event.metaKey;
}

function thisDevice(): Device {
  return {
    userAgent: navigator.userAgent,
    width: innerWidth,
    height: innerHeight,
    pointer: pointerOf(),
    hasTouch: hasTouch(),
  };
}

function pointerOf(): Device['pointer'] {
  if (matches('(pointer: fine)')) return 'fine';
  return matches('(pointer: coarse)') ? 'coarse' : 'none';
}
