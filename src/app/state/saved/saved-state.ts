import { proxy, ref } from 'valtio/vanilla';
import { broadcastChannel } from '#app/platform/capabilities.ts';
import { showAppBadge } from '#app/platform/later-capabilities.ts';
import { createSignal } from '#app/platform/signal.ts';
import { savedStore } from '#device/saved/saved-store.ts';
import type { SavedVideo } from '#device/saved/saved-video.ts';
import { isToBeFetched, nobody } from '#device/saved/saved-video.ts';
import { currentViewer } from '../viewer-cache.ts';
import { savedNotice } from './saved-notice.ts';
import type { SavedRoom } from './saved-room.ts';
import { isPromised, readRoom } from './saved-room.ts';

interface SavedViewState {
  /** The viewer's own videos, the earliest saved first. A change replaces the list. */
  rows: readonly SavedVideo[];
  room: SavedRoom | null;
  /** `failed`: the list could not be read. */
  phase: 'loading' | 'known' | 'failed';
  /** Whether this browser can keep videos; null until it was tried. */
  isPossible: boolean | null;
  /** Whether the browser promises to keep them; null where it does not say. */
  isPersistent: boolean | null;
  /** The video that this tab fetches; the others wait, or another tab fetches. */
  activeId: string | null;
  /** The site makes smaller files for this tab: how far each one is, 0 to 100, by the id of its row. */
  encodings: Readonly<Record<string, number>>;
  /** Another tab of this browser fetches. */
  isElsewhere: boolean;
}

const initial = (): SavedViewState => ({
  rows: ref([]),
  room: null,
  phase: 'loading',
  isPossible: null,
  isPersistent: null,
  activeId: null,
  encodings: {},
  isElsewhere: false,
});

export const saved = proxy<SavedViewState>(initial());

/** A message from one tab of this browser to the others. */
type SavedMessage = { kind: 'changed' } | { kind: 'removed'; ids: readonly string[] };

/** Videos that this or another tab has removed: their object URLs end, and nothing plays them. */
export const savedRemoved = createSignal<readonly string[]>();

/** The rights of the saved videos were looked at, at most once an hour. */
export const savedChecked = createSignal();

let channel: BroadcastChannel | undefined;
let reading: Promise<void> | null = null;
let isStale = false;

/** Hears of changes by other tabs. Returns a function that stops it. */
export function watchOtherTabs(onChange: () => void): () => void {
  channel = broadcastChannel('fourfold.saved');
  channel?.addEventListener('message', ({ data }: MessageEvent<SavedMessage>) => {
    if (data.kind === 'removed') savedRemoved.emit(data.ids);
    onChange();
  });
  return () => {
    channel?.close();
    channel = undefined;
  };
}

/** Tells the other tabs of a change, and reads the rows again here. */
export async function publishSaved(message: SavedMessage = { kind: 'changed' }): Promise<void> {
  channel?.postMessage(message);
  if (message.kind === 'removed') savedRemoved.emit(message.ids);
  await readSaved();
}

/** The viewer's watched videos, the least recently played first: in this order they give way. */
export function listReel(): SavedVideo[] {
  const playedAt = ({ playedAt: at, savedAt }: SavedVideo) => at ?? savedAt;
  return saved.rows.filter(({ kind }) => kind === 'reel').sort((one, other) => playedAt(one) - playedAt(other));
}

/** The key of the current viewer; undefined while it is not known who is here. */
export function savedViewer(): string | undefined {
  const viewer = currentViewer();
  return viewer === null ? nobody : viewer;
}

/** Reads the viewer's rows. Calls during a read share one further read. */
export function readSaved(): Promise<void> {
  isStale = true;
  reading ??= readUntilCurrent();
  return reading;
}

export function resetSaved(): void {
  Object.assign(saved, initial());
  savedNotice.playable = null;
  showAppBadge('saved', 0);
}

async function readUntilCurrent(): Promise<void> {
  while (isStale) {
    isStale = false;
    const viewer = savedViewer();
    const rows = viewer === undefined ? null : await savedStore.list(viewer).catch(() => 'failed' as const);
    if (viewer !== savedViewer()) isStale = true;
    else if (rows === 'failed') saved.phase = 'failed';
    else if (rows) commit(rows);
  }
  reading = null;
}

function commit(all: readonly SavedVideo[]): void {
  // A watched video is listed once it is whole.
  const rows = all.filter(({ kind, state }) => kind === 'chosen' || state === 'whole');
  Object.assign(saved, { rows: ref(rows), phase: 'known' });
  savedNotice.playable = rows.filter(({ state }) => state === 'whole').length;
  showAppBadge('saved', rows.filter((row) => isToBeFetched(row) || row.state === 'paused').length);
  void readGranted().catch(() => {});
}

/** The list never waits for this: a browser that takes room away may be slow to answer. */
async function readGranted(): Promise<void> {
  const { rows } = saved;
  const [room, isPersistent] = await Promise.all([readRoom(), isPromised()]);
  // A later read asks again.
  if (saved.rows === rows) Object.assign(saved, { room, isPersistent });
}
