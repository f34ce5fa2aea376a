import { currentScope } from '#app/platform/input/focus-scopes.ts';
import { isTyping, remoteKeyOf } from '#app/platform/input/remote-keys.ts';
import { mayEditTags } from '#app/state/may.ts';
import { isCovered } from '#app/state/navigation.ts';
import { settings } from '#app/state/settings.ts';
import { addTags, removeTags, undo } from '../edits/change-tags.ts';
import { isPutBySomebody } from '../edits/tag-edit.ts';
import type { CardStep } from '../grid/card-focus.ts';
import { focusedVideoId, focusNextCard } from '../grid/card-focus.ts';
import { play } from '../player-store.ts';
import { panelVideos, selectAlso, showHelp, toggleSelected } from '../tagging-store.ts';
import type { TaggingVideo } from '../videos-store.ts';
import { findVideo, videos } from '../videos-store.ts';
import { mostUsed } from './most-used.ts';
import { goToNextUntagged } from './next-untagged.ts';

/** Hears the keys of the screen, but for those of fields and dialogs. Returns what stops it. */
export function watchKeys(): () => void {
  document.addEventListener('keydown', hear);
  return () => document.removeEventListener('keydown', hear);
}

function hear(event: KeyboardEvent): void {
  const isElsewhere = isCovered() || currentScope() !== document.body || isTyping(event.target);
  if (event.defaultPrevented || isElsewhere || event.altKey || event.ctrlKey || event.metaKey) return;
  const isUsed = extendSelection(event) || pressPlay(event) || (settings.areShortcutsOn && pressShortcut(event));
  if (isUsed) event.preventDefault();
}

const arrows: Record<string, CardStep | undefined> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};

/** Shift with an arrow selects the card and the one that the arrow leads to. */
function extendSelection({ key, shiftKey }: KeyboardEvent): boolean {
  const direction = arrows[key];
  const from = focusedVideoId();
  if (!shiftKey || direction === undefined || from === null || !mayEditTags()) return false;
  focusNextCard(direction);
  selectAlso(from, focusedVideoId() ?? from);
  return true;
}

function pressPlay(event: KeyboardEvent): boolean {
  const key = remoteKeyOf(event);
  const item = key === 'play' || key === 'play-pause' ? findVideo(focusedVideoId()) : undefined;
  if (item) void play(item.video);
  return item !== undefined;
}

function pressShortcut(event: KeyboardEvent): boolean {
  const key = event.key.toLowerCase();
  if (key === '?') showHelp(true);
  else if (key === 'n') goToNextUntagged();
  else return mayEditTags() && pressEditKey(key, event);
  return true;
}

function pressEditKey(key: string, { code, repeat }: KeyboardEvent): boolean {
  const digit = digitOf(key, code);
  const id = focusedVideoId();
  if (repeat) return digit !== null;
  if (key === 'u') void undo();
  else if (key === 'x' && id !== null) toggleSelected(id);
  else if (digit !== null) toggleTag(digit);
  else return false;
  return true;
}

/** All of them have it: it is removed from all; else it is added to those that lack it. */
function toggleTag(digit: number): void {
  const tag = mostUsed.tags[digit - 1];
  const items = keyVideos();
  if (!tag || items.length === 0) return;
  const isOnAll = items.every(({ tags }) => isPutBySomebody(tags, tag));
  void (isOnAll ? removeTags(items, [tag]) : addTags(items, [tag]));
}

/** The selected videos, else the one of the focused card, else the chosen one. */
function keyVideos(): readonly TaggingVideo[] {
  const focused = findVideo(focusedVideoId());
  return videos.state.selectedIds.length === 0 && focused ? [focused] : panelVideos();
}

/** Where digits need Shift (French keyboards), the key in their place is meant. */
function digitOf(key: string, code: string): number | null {
  if (/^[1-9]$/.test(key)) return Number(key);
  return /^Digit[1-9]$/.test(code) ? Number(code.slice(-1)) : null;
}
