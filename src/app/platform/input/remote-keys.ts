import { tvInput } from '#app/platform/later-capabilities.ts';
import type { Direction } from './focus-geometry.ts';
import type { KeyStroke } from './late-keys.ts';
import { hasModifier, isNameless, isOkKey } from './late-keys.ts';
import { currentForm } from './screen-form.ts';

/** The app's commands that keys of a remote, a gamepad or a keyboard trigger. */
export type RemoteKey =
  | 'left'
  | 'right'
  | 'up'
  | 'down'
  | 'ok'
  | 'back'
  | 'menu'
  | 'info'
  | 'red'
  | 'green'
  | 'yellow'
  | 'blue'
  | 'play-pause'
  | 'play'
  | 'pause'
  | 'stop'
  | 'next'
  | 'previous'
  | 'forward'
  | 'rewind'
  | 'channel-up'
  | 'channel-down';

/**
 * Commands besides OK by `event.key`: standard names, and names that only gamepads, Tizen or Fire
 * TV send.
 */
const byName: Record<string, RemoteKey> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
  GamepadDPadLeft: 'left',
  GamepadDPadRight: 'right',
  GamepadDPadUp: 'up',
  GamepadDPadDown: 'down',
  GamepadLeftThumbstickLeft: 'left',
  GamepadLeftThumbstickRight: 'right',
  GamepadLeftThumbstickUp: 'up',
  GamepadLeftThumbstickDown: 'down',
  Escape: 'back',
  GoBack: 'back',
  XF86Back: 'back',
  GamepadB: 'back',
  Menu: 'menu',
  ContextMenu: 'menu',
  GamepadMenu: 'menu',
  Info: 'info',
  ColorF0Red: 'red',
  ColorF1Green: 'green',
  ColorF2Yellow: 'yellow',
  ColorF3Blue: 'blue',
  MediaPlayPause: 'play-pause',
  MediaPlay: 'play',
  MediaPause: 'pause',
  MediaStop: 'stop',
  MediaTrackNext: 'next',
  MediaTrackPrevious: 'previous',
  MediaFastForward: 'forward',
  MediaRewind: 'rewind',
  ChannelUp: 'channel-up',
  ChannelDown: 'channel-down',
};

/** Names that are other keys on a keyboard: webOS sends them for the channel keys. */
const byNameOnTv: Record<string, RemoteKey> = { PageUp: 'channel-up', PageDown: 'channel-down' };

/**
 * Commands besides OK by `keyCode`, for engines that send no name: webOS 4xx, Tizen 10xxx, Fire TV
 * 179, 227 and 228, Xbox 196 to 214.
 */
const byCode: Record<number, RemoteKey> = {
  19: 'pause',
  27: 'back',
  33: 'channel-up',
  34: 'channel-down',
  37: 'left',
  38: 'up',
  39: 'right',
  40: 'down',
  176: 'next',
  177: 'previous',
  178: 'stop',
  179: 'play-pause',
  196: 'back',
  203: 'up',
  204: 'down',
  205: 'left',
  206: 'right',
  207: 'menu',
  211: 'up',
  212: 'down',
  213: 'right',
  214: 'left',
  227: 'rewind',
  228: 'forward',
  403: 'red',
  404: 'green',
  405: 'yellow',
  406: 'blue',
  412: 'rewind',
  413: 'stop',
  415: 'play',
  417: 'forward',
  427: 'channel-up',
  428: 'channel-down',
  457: 'info',
  461: 'back',
  10009: 'back',
  10135: 'menu',
  10232: 'previous',
  10233: 'next',
  10252: 'play-pause',
};

/**
 * The command of a key; null for ordinary keys and for any key with a modifier. The name has
 * precedence over the code.
 */
export function remoteKeyOf(event: KeyStroke): RemoteKey | null {
  if (hasModifier(event)) return null;
  if (isOkKey(event)) return 'ok';
  const { key, keyCode } = event;
  const isOfRemotes = keyCode > lastCodeOfKeyboards;
  const named = byName[key] ?? (key in byNameOnTv && currentForm() === 'tv' ? byNameOnTv[key] : undefined);
  return named ?? (isNameless(event) || isOfRemotes ? byCode[keyCode] : undefined) ?? null;
}

/** Codes up to this one can also belong to a character key, which then has a name. */
const lastCodeOfKeyboards = 255;

/**
 * Whether a key means Back. VIDAA sends Backspace for it: on a TV it means Back, except in text
 * fields.
 */
export function isBackKey(event: KeyStroke & { target: EventTarget | null }, isTv: boolean): boolean {
  if (remoteKeyOf(event) === 'back') return true;
  return isTv && event.key === 'Backspace' && !isTyping(event.target);
}

const typingFields = 'textarea, select, [contenteditable=""], [contenteditable="true"], input';
const pressedInputs = new Set(['button', 'checkbox', 'color', 'file', 'image', 'radio', 'range', 'reset', 'submit']);

/** Whether keys pressed in the element are text input. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof Element) || !target.matches(typingFields)) return false;
  return !(target instanceof HTMLInputElement && pressedInputs.has(target.type));
}

/** Marks a slider that a remote's OK gave the arrows to left and right. */
export const heldMark = 'data-held';

export function isSlider(element: Element | null): element is HTMLInputElement {
  return element instanceof HTMLInputElement && element.type === 'range';
}

/**
 * Whether the element handles this arrow natively: it moves a caret or a slider's thumb, or scrolls
 * text that continues.
 */
export function ownsArrow(element: HTMLElement | null, direction: Direction): boolean {
  if (!element) return false;
  const isAlong = direction === 'left' || direction === 'right';
  if (isSlider(element)) return isAlong && (currentForm() !== 'tv' || element.hasAttribute(heldMark));
  if (element instanceof HTMLInputElement) return isAlong && isTyping(element) && !isAtEnd(element, direction);
  if (element instanceof HTMLTextAreaElement) return !isAtEnd(element, direction);
  if (element instanceof HTMLSelectElement) return false;
  return isTyping(element) || canScroll(element, direction);
}

/**
 * Whether the caret is at the end, so that the focus may move on. `selectionStart` is null for
 * email fields: only empty ones count as at the end.
 */
function isAtEnd(
  { value, selectionStart, selectionEnd }: HTMLInputElement | HTMLTextAreaElement,
  direction: Direction,
): boolean {
  if (selectionStart === null) return value === '';
  if (selectionStart !== selectionEnd) return false;
  return direction === 'left' || direction === 'up' ? selectionStart === 0 : selectionEnd === value.length;
}

/** Whether an element can scroll in this direction, as a long text can. */
export function canScroll(element: HTMLElement, direction: Direction): boolean {
  if (direction === 'left' || direction === 'right' || element.scrollHeight <= element.clientHeight + 1) return false;
  if (!/auto|scroll/.test(getComputedStyle(element).overflowY)) return false;
  if (direction === 'up') return element.scrollTop > 0;
  return element.scrollTop + element.clientHeight < element.scrollHeight - 1;
}

/**
 * Keys that the app uses and that a Tizen TV sends only after registration. Arrows, OK and Back do
 * not need it.
 */
const wanted = [
  'ColorF0Red',
  'ColorF1Green',
  'ColorF2Yellow',
  'ColorF3Blue',
  'Info',
  'Tools',
  'MediaPlayPause',
  'MediaPlay',
  'MediaPause',
  'MediaStop',
  'MediaTrackPrevious',
  'MediaTrackNext',
  'MediaRewind',
  'MediaFastForward',
  'ChannelUp',
  'ChannelDown',
];

/**
 * Registers those of our keys that the remote of a Tizen TV has. Has no effect in a TV's browser
 * and everywhere else.
 */
export function registerRemoteKeys(): void {
  const input = tvInput();
  if (!input) return;
  try {
    const present = new Set(input.getSupportedKeys().map(({ name }) => name));
    input.registerKeyBatch(wanted.filter((name) => present.has(name)));
  } catch {
    // The page does not have the privilege: only keys that need no registration work.
  }
}
