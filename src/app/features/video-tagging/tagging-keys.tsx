import { useSnapshot } from 'valtio';
import { proxy } from 'valtio/vanilla';
import { callCached } from '#app/platform/http/call-cached.ts';
import { currentScope, focusOn } from '#app/platform/input/focus-scopes.ts';
import { isTyping, remoteKeyOf } from '#app/platform/input/remote-keys.ts';
import { mayEditTags } from '#app/state/may.ts';
import { isCovered } from '#app/state/navigation.ts';
import { changedOnServer } from '#app/state/revision.ts';
import { settings } from '#app/state/settings.ts';
import { Swatch } from '#app/ui/badge.tsx';
import { Modal } from '#app/ui/modal.tsx';
import { useBackLayer } from '#app/ui/store-hooks.ts';
import { listTags } from '#contract/endpoints.ts';
import type { TagLabel } from '#contract/entities/tag.ts';
import { notices } from '#contract/notices.ts';
import { isUntagged } from '#contract/rules/tag.ts';
import { addTags, isPutBySomebody, removeTags, showNotice, undo } from './change-tags.ts';
import styles from './tagging-keys.module.css';
import { choose, panelVideos, playListed, selectAlso, showHelp, tagging, toggleSelected } from './tagging-store.ts';
import type { TaggingVideo } from './videos-store.ts';
import { countsNow, findVideo, loaded, taggingVideos } from './videos-store.ts';

/**
 * Listens for the screen's keys, except in fields and dialogs. Returns a function that stops it.
 */
export function watchTaggingKeys(): () => void {
  document.addEventListener('keydown', handleKeyDown);
  return () => document.removeEventListener('keydown', handleKeyDown);
}

function handleKeyDown(event: KeyboardEvent): void {
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

/** Shift with an arrow key selects the focused card and its neighbor in that direction. */
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
  if (item) void playListed(item.video);
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

/** Removes the tag if all videos have it, else adds it to those without it. */
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
  return taggingVideos.state.selectedIds.length === 0 && focused ? [focused] : panelVideos();
}

/** The digit of a key. On keyboards where digits need Shift (French), the key's position counts. */
function digitOf(key: string, code: string): number | null {
  if (/^[1-9]$/.test(key)) return Number(key);
  return /^Digit[1-9]$/.test(code) ? Number(code.slice(-1)) : null;
}

const close = () => showHelp(false);

const keys: ReadonlyArray<readonly [key: string, what: string]> = [
  ['Arrow keys', 'Choose a card'],
  ['Enter', 'Show its tags'],
  ['Shift and arrow keys', 'Select several'],
  ['X', 'Select, or no longer'],
  ['N', 'Next untagged video'],
  ['U', 'Undo'],
  ['Play', 'Play the video'],
  ['?', 'Shortcuts'],
];

/** The keys of the screen, and the tags of the digits. */
export function KeysDialog() {
  useBackLayer(close);
  const { areShortcutsOn } = useSnapshot(settings);
  const { tags } = useSnapshot(mostUsed);
  return (
    <Modal
      title="Shortcuts"
      {...(!areShortcutsOn && { sentence: 'Letters and digits are turned off in Profile.' })}
      onClose={close}
    >
      <dl>
        {keys.map(([key, what]) => (
          <div key={key} className={styles.row}>
            <dt className={styles.key}>{key}</dt>
            <dd className={styles.what}>{what}</dd>
          </div>
        ))}
      </dl>
      {tags.length > 0 && (
        <>
          <h3 className={styles.heading}>Add or remove the most used tags</h3>
          <dl>
            {tags.map(({ id, name, color }, at) => (
              <div key={id} className={styles.row}>
                <dt className={styles.key}>{at + 1}</dt>
                <dd className={styles.what}>
                  <Swatch color={color} />
                  <bdi>{name}</bdi>
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </Modal>
  );
}

/** The number of digit keys. */
const count = 9;

/**
 * The tags of the digits 1 to 9, most used first. They keep their digits while the screen is open.
 */
const mostUsed = proxy<{ tags: TagLabel[] }>({ tags: [] });

/**
 * Loads the most used tags, and again when others have changed tags. Returns a function that cancels
 * the loading and clears them.
 */
export function loadMostUsed(): () => void {
  const loading = new AbortController();
  const stop = changedOnServer.tags.listen(() => void load(loading.signal));
  void load(loading.signal);
  return () => {
    stop();
    loading.abort();
    mostUsed.tags = [];
  };
}

async function load(signal: AbortSignal): Promise<void> {
  try {
    const query = { sort_by: 'video_count', sort_order: 'desc', page: 1, limit: count } as const;
    const { reply } = await callCached(listTags, query, signal);
    if (!signal.aborted) showMostUsed(reply.tags.slice(0, count));
  } catch {
    // The digits do nothing then, and the panel still lists all tags.
  }
}

/** A tag that is still among them keeps its digit. */
function showMostUsed(tags: readonly TagLabel[]): void {
  const labels = tags.map(({ id, name, color }) => ({ id, name, color }));
  const kept = mostUsed.tags.flatMap(({ id }) => labels.find((label) => label.id === id) ?? []);
  mostUsed.tags = [...kept, ...labels.filter(({ id }) => !kept.some((label) => label.id === id))];
}

/** Whether the first untagged video of the page being loaded gets the focus. */
let isAwaited = false;

/**
 * Moves to the next untagged video: on this page, else to the first of all, which are then sorted
 * first.
 */
function goToNextUntagged(): void {
  const { items } = taggingVideos.state;
  const at = items.findIndex(({ video }) => video.id === (focusedVideoId() ?? tagging.chosenId));
  const inOrder = [...items.slice(at + 1), ...items.slice(0, Math.max(0, at))];
  const next = inOrder.find(({ tags }) => isUntagged(tags));
  if (next) goTo(next.video.id);
  else if (countsNow(loaded, items)?.untagged) askForUntagged();
  else showNotice(notices.allVideosTagged);
}

function askForUntagged(): void {
  isAwaited = true;
  taggingVideos.filter({ isUntaggedFirst: true });
}

/**
 * Handles a loaded page. A search that finds only tagged videos is cleared, because the untagged
 * ones are outside it.
 */
export function goToAwaitedUntagged(): void {
  const { items, isLoading, search } = taggingVideos.state;
  if (!isAwaited || isLoading) return;
  const first = items.find(({ tags }) => isUntagged(tags));
  isAwaited = false;
  if (first) goTo(first.video.id);
  else if (search !== '') {
    taggingVideos.clearSearch();
    isAwaited = taggingVideos.state.isLoading;
  }
}

export function cancelAwaitedUntagged(): void {
  isAwaited = false;
}

function goTo(id: string): void {
  taggingVideos.clearSelection();
  choose(id);
  focusCard(id);
}

type CardStep = 'left' | 'right' | 'up' | 'down';

/** The video of the card that has the focus. */
function focusedVideoId(): string | null {
  return document.activeElement?.closest<HTMLElement>('[data-video]')?.dataset.video ?? null;
}

function focusCard(id: string): void {
  focusButtonOf(cards().find(({ dataset }) => dataset.video === id));
}

/**
 * Focuses the first card when the view opens. Until cards are loaded the focus is on the first
 * button above, not in the search field, where the screen's keys would type text. Whoever has gone
 * on to another button stays there.
 */
export function focusFirstCard(): void {
  const focused = document.activeElement;
  const awaiting = focused?.closest('[data-awaits-cards]')?.querySelector('button');
  if (focused && focused === awaiting) focusButtonOf(cards()[0]);
}

/** Moves the focus to the adjacent card in the direction of the arrow. At an edge it stays. */
function focusNextCard(step: CardStep): void {
  const all = cards();
  const at = all.findIndex(({ dataset }) => dataset.video === focusedVideoId());
  const top = (card: HTMLElement) => card.getBoundingClientRect().top;
  const columns = all.filter((card) => top(card) === top(all[0] ?? card)).length;
  const steps: Record<CardStep, number> = { left: -1, right: 1, up: -columns, down: columns };
  focusButtonOf(all[at + steps[step]]);
}

function focusButtonOf(card: HTMLElement | undefined): void {
  const button = card?.querySelector('button');
  if (button) focusOn(button);
}

function cards(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('[data-video]')];
}
