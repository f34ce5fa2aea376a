import { after, now } from '#device/timers.ts';
import { createSignal } from '../signal.ts';
import type { Box, Direction } from './focus-geometry.ts';
import { areInOneRow, beforeAll, nearestBox } from './focus-geometry.ts';
import {
  currentScope,
  focusablesIn,
  focusedElement,
  focusOn,
  focusStart,
  isFocusable,
  restoreFocus,
  trackFocus,
  wrapTab,
} from './focus-scopes.ts';
import { heldMark, isBackKey, isSlider, isTyping, ownsArrow, remoteKeyOf } from './remote-keys.ts';
import { currentForm, currentInput } from './screen-form.ts';

/**
 * The shortest time between two steps: a held arrow repeats 30 times a second, the focus moves at
 * most eight times.
 */
const minStepMs = 125;

const directions = ['left', 'right', 'up', 'down'] as const;

/** Raised by an arrow when there is no element on that side. Not raised inside a level. */
export const focusEdge = createSignal<Direction>();

let lastStep = 0;

/**
 * Arrow keys move the real focus by geometry: everywhere on a TV, elsewhere inside `data-arrows`,
 * because arrows scroll a page. A focusable element with `data-focus-level` is a level: arrows
 * pressed on it skip its content, arrows pressed inside stay inside, and `enterLevel` moves the
 * focus in. `data-focus-region` remembers its last focused element. On a held scope, such as a
 * menu, `data-focus-wrap` makes Up and Down wrap around. A component that uses an arrow itself
 * prevents the event's default.
 */
export function startRemoteFocus(): () => void {
  const focused = focusedElement();
  if (focused) noteFocus(focused);
  document.addEventListener('focusin', onFocusIn);
  document.addEventListener('focusout', onFocusOut);
  document.addEventListener('input', onInput);
  window.addEventListener('keydown', handleFocusKey);
  const stopWatching = watchRemovals();
  return () => {
    stopWatching();
    document.removeEventListener('focusin', onFocusIn);
    document.removeEventListener('focusout', onFocusOut);
    document.removeEventListener('input', onInput);
    window.removeEventListener('keydown', handleFocusKey);
  };
}

/** Moves the focus to the next element on that side. False when there is none. */
export function moveFocus(direction: Direction): boolean {
  const scope = currentScope();
  restoreFocus(scope);
  const from = focusedElement();
  if (!from || !scope.contains(from)) return focusStart(scope);
  const peers = peersOf(from, scope);
  const next = nextInRow(from, peers, direction) ?? nextAnywhere(from, peers, direction, scope);
  if (next) focusOn(recallOnEntry(next, from));
  return next !== undefined;
}

/**
 * The next element of the same row and region, which comes before a nearer one outside of the
 * region: the memory of a region would lead back from there to where the focus was.
 */
function nextInRow(from: HTMLElement, peers: readonly HTMLElement[], direction: Direction): HTMLElement | undefined {
  const region = from.closest('[data-focus-region]');
  if (!region || direction === 'up' || direction === 'down') return;
  const box = boxAtRest(from);
  const row = peers.filter((peer) => region.contains(peer) && areInOneRow(box, peer.getBoundingClientRect()));
  return row[nearestBox(box, boxesOf(row), direction)];
}

function nextAnywhere(
  from: HTMLElement,
  peers: readonly HTMLElement[],
  direction: Direction,
  scope: HTMLElement,
): HTMLElement | undefined {
  const box = boxAtRest(from);
  const offered = peers.filter((peer) => isInWay(peer, from, box, direction));
  const boxes = boxesOf(offered);
  const ahead = nearestBox(box, boxes, direction);
  return offered[ahead >= 0 ? ahead : indexAround(scope, box, boxes, direction)];
}

/**
 * Outside of dialogs, left and right lead out of a region, and into another list or region, only to
 * what stands beside the focus or in its row. A row of channels above the cards may go on beyond the screen: its
 * elements out there are no step to the right of a card.
 */
function isInWay(peer: HTMLElement, from: HTMLElement, box: Box, direction: Direction): boolean {
  const list = peer.closest('ul, [data-focus-region]');
  if (direction === 'up' || direction === 'down' || list?.contains(from)) return true;
  if (from.closest('[role="dialog"]') || (!list && !from.closest('[data-focus-region]'))) return true;
  const { left, right } = (list ?? peer).getBoundingClientRect();
  const isBeside = direction === 'left' ? right <= box.left + 1 : left >= box.right - 1;
  return isBeside || areInOneRow(box, peer.getBoundingClientRect());
}

/**
 * The box of a focused element without its growth on a TV, which reaches over neighbours that stand
 * close.
 */
function boxAtRest(element: HTMLElement): Box {
  const { left, top, right, bottom } = element.getBoundingClientRect();
  const grownX = Math.max(0, right - left - (element.offsetWidth || right - left)) / 2;
  const grownY = Math.max(0, bottom - top - (element.offsetHeight || bottom - top)) / 2;
  return { left: left + grownX, top: top + grownY, right: right - grownX, bottom: bottom - grownY };
}

const boxesOf = (elements: readonly HTMLElement[]) => elements.map((element) => element.getBoundingClientRect());

/**
 * Moves the focus into a level: to the element that had it last, or to the start. False when
 * nothing in it is focusable.
 */
export function enterLevel(level: HTMLElement): boolean {
  const last = recall(level);
  if (last) focusOn(last);
  return last !== null || focusStart(level);
}

function onFocusIn({ target }: FocusEvent): void {
  if (!(target instanceof HTMLElement)) return;
  if (!isOpening && currentForm() === 'tv' && currentInput() === 'remote' && isTextField(target)) shutKeyboard(target);
  noteFocus(target);
}

function noteFocus(element: HTMLElement): void {
  remember(element);
  trackFocus(element);
}

/**
 * Restores the focus later, when its new place is known, and the elements of the same render are in
 * the document.
 */
function onFocusOut({ target, relatedTarget }: FocusEvent): void {
  if (target instanceof HTMLElement) {
    target.removeAttribute(heldMark);
    allowKeyboard(target);
    typedIn = null;
  }
  if (relatedTarget === null) after(0, () => restoreFocus(currentScope()));
}

/**
 * Marks a text field that keeps the on-screen keyboard closed; its value is the field's own
 * `inputmode`.
 */
const shutMark = 'data-shut';

let isOpening = false;

/**
 * A TV's keyboard covers half of the screen: a field that the focus only passes must not open it.
 */
function shutKeyboard(field: HTMLElement): void {
  field.setAttribute(shutMark, field.getAttribute('inputmode') ?? '');
  field.setAttribute('inputmode', 'none');
}

function allowKeyboard(field: HTMLElement): void {
  const mode = field.getAttribute(shutMark);
  if (mode === null) return;
  field.removeAttribute(shutMark);
  if (mode === '') field.removeAttribute('inputmode');
  else field.setAttribute('inputmode', mode);
}

/** The field that somebody types in with keys, for which no keyboard of the TV has to open. */
let typedIn: HTMLElement | null = null;

/**
 * Text that arrives while the TV's keyboard is closed was typed with real keys, so OK submits the
 * form.
 */
function onInput({ target }: Event): void {
  if (!(target instanceof HTMLElement) || !target.hasAttribute(shutMark)) return;
  allowKeyboard(target);
  typedIn = target;
}

/** OK opens the keyboard of the focused field. Browsers do so when it gets the focus. */
function openKeyboard(): boolean {
  const field = focusedElement();
  if (!field?.hasAttribute(shutMark)) return false;
  isOpening = true;
  field.blur();
  field.focus();
  isOpening = false;
  return true;
}

/** Back closes it before anything else. */
function closeKeyboard(event: KeyboardEvent): boolean {
  const field = focusedElement();
  if (!isBackKey(event, true) || currentForm() !== 'tv' || currentInput() !== 'remote') return false;
  if (!field || !isTextField(field) || field === typedIn || field.hasAttribute(shutMark)) return false;
  field.blur();
  field.focus();
  return true;
}

function isTextField(element: HTMLElement): boolean {
  return isTyping(element) && !(element instanceof HTMLSelectElement);
}

/**
 * A focused element that is removed or disabled loses the focus without an event in most engines.
 */
function watchRemovals(): () => void {
  let cancel = () => {};
  const observer = new MutationObserver(() => {
    const input = currentInput();
    if (input === 'touch' || input === 'pointer' || focusedElement()) return;
    cancel();
    cancel = after(0, () => restoreFocus(currentScope()));
  });
  const changes = { childList: true, subtree: true, attributeFilter: ['disabled', 'hidden', 'aria-hidden'] };
  observer.observe(document.body, changes);
  return () => {
    cancel();
    observer.disconnect();
  };
}

/** Handles one key of those that `startRemoteFocus` listens to. */
export function handleFocusKey(event: KeyboardEvent): void {
  if (event.defaultPrevented) return;
  const direction = directionOf(event);
  const isTaken = event.key === 'Tab' ? wrapTab(event.shiftKey) : direction !== null && step(direction, event.repeat);
  const isOk = remoteKeyOf(event) === 'ok';
  if (isTaken || (isOk && (toggleHold() || openKeyboard())) || closeKeyboard(event)) event.preventDefault();
}

/**
 * On a TV, OK gives a slider the arrows to left and right, and takes them back: otherwise nothing
 * beside a slider could be reached. One with `data-keeps-arrows` handles them itself.
 */
function toggleHold(): boolean {
  const slider = focusedElement();
  if (currentForm() !== 'tv' || !isSlider(slider) || slider.matches('[data-keeps-arrows]')) return false;
  if (slider.hasAttribute(heldMark)) slider.removeAttribute(heldMark);
  else slider.setAttribute(heldMark, '');
  return true;
}

/** Whether the arrow was handled. */
function step(direction: Direction, isRepeated: boolean): boolean {
  const from = focusedElement();
  if (!isMovedByArrows(from) || (!from?.hasAttribute(shutMark) && ownsArrow(from, direction))) return false;
  if (isRepeated && Math.abs(now() - lastStep) < minStepMs) return true;
  lastStep = now();
  if (moveFocus(direction)) return true;
  if (!from || levelOf(from, currentScope()) === null) focusEdge.emit(direction);
  // On a TV an arrow that leads nowhere must not move a thumb that nobody holds.
  return currentForm() === 'tv' && isSlider(from);
}

function directionOf(event: KeyboardEvent): Direction | null {
  const key = event.shiftKey ? null : remoteKeyOf(event);
  return directions.find((direction) => direction === key) ?? null;
}

function isMovedByArrows(from: HTMLElement | null): boolean {
  return document.documentElement.dataset.form === 'tv' || (from?.closest('[data-arrows]') ?? null) !== null;
}

/** For a scope that wraps around: the index of the first element on the other side, else -1. */
function indexAround(scope: HTMLElement, box: Box, boxes: readonly Box[], direction: Direction): number {
  if (direction === 'left' || direction === 'right' || !scope.matches('[data-focus-wrap]')) return -1;
  return nearestBox(beforeAll(box, direction), boxes, direction);
}

/** The focusable elements on the same level as `from`, without itself. */
function peersOf(from: HTMLElement, scope: HTMLElement): HTMLElement[] {
  const level = levelOf(from, scope);
  return focusablesIn(scope, (element) => element !== from && levelOf(element, scope) === level);
}

/**
 * The innermost level around an element. A level outside of the scope, such as one around a dialog,
 * does not count.
 */
function levelOf(element: HTMLElement, scope: HTMLElement): Element | null {
  const level = element.parentElement?.closest('[data-focus-level]') ?? null;
  return level && scope.contains(level) ? level : null;
}

/**
 * Focuses the element under the pointing remote of a TV, so that arrows continue from there. Inside
 * a level that was not entered, the level itself gets the focus. Returns a function that stops it.
 */
export function startPointerFocus(): () => void {
  let pointedAt: EventTarget | null = null;
  let position = '';
  // Only real moves count: when the page changes under a resting pointer, browsers raise
  // `pointerover` there, and some a `pointermove` to the same position.
  const onMove = ({ pointerType, target, screenX, screenY }: PointerEvent) => {
    const lastPosition = position;
    position = `${screenX} ${screenY}`;
    if (pointerType !== 'mouse' || target === pointedAt || position === lastPosition) return;
    pointedAt = target;
    if (currentForm() === 'tv' && target instanceof Element) focusPointed(target);
  };
  document.addEventListener('pointermove', onMove);
  return () => document.removeEventListener('pointermove', onMove);
}

function focusPointed(target: Element): void {
  const pointed = focusableAt(target);
  // A text field would open the TV's on-screen keyboard.
  if (pointed && !pointed.contains(document.activeElement) && !isTyping(pointed))
    pointed.focus({ preventScroll: true });
}

function focusableAt(target: Element): HTMLElement | null {
  const scope = currentScope();
  const level = target.closest<HTMLElement>('[data-focus-level]');
  let element = level ?? target;
  while (element !== scope && element.parentElement && !(element instanceof HTMLElement && isFocusable(element)))
    element = element.parentElement;
  return element instanceof HTMLElement && element !== scope && scope.contains(element) ? element : null;
}

/** Containers that remember which of their elements had the focus last: regions and levels. */
const remembering = '[data-focus-region], [data-focus-level]';

const lastIn = new WeakMap<Element, HTMLElement>();

/** Stores this element as the last focused one of every container around it. */
function remember(element: HTMLElement): void {
  for (let container = outer(element); container; container = outer(container)) lastIn.set(container, element);
}

/** The last focused element of a container, while it is still focusable. */
function recall(container: Element): HTMLElement | null {
  const last = lastIn.get(container);
  return last && container.contains(last) && isFocusable(last) ? last : null;
}

/**
 * The element to focus instead of `next`: on entering a region from outside, the one that had the
 * focus there last.
 */
function recallOnEntry(next: HTMLElement, from: HTMLElement): HTMLElement {
  const region = next.closest('[data-focus-region]');
  return (region && !region.contains(from) && recall(region)) || next;
}

function outer(element: Element): Element | null {
  return element.parentElement?.closest(remembering) ?? null;
}
