import { proxy, ref } from 'valtio/vanilla';
import { Unanswered } from '#app/platform/http/time-limit.ts';
import { showAppBadge } from '#app/platform/later-capabilities.ts';
import { createSignal } from '#app/platform/signal.ts';
import { savedStore } from '#device/saved/saved-store.ts';
import type { SavedVideo } from '#device/saved/saved-video.ts';
import { isToBeFetched, nobody } from '#device/saved/saved-video.ts';
import { session } from '../session.ts';
import { currentViewer } from '../viewer-cache.ts';
import { savedNotice } from './saved-notice.ts';
import type { SavedRoom } from './saved-room.ts';
import { isPromised, readRoom, storageAnswer } from './saved-room.ts';

interface SavedViewState {
  /** The viewer's own videos, the earliest saved first. A change replaces the list. */
  rows: readonly SavedVideo[];
  room: SavedRoom | null;
  /** The browser has not said in time how much room there is. */
  isRoomLate: boolean;
  /** `failed`: the list could not be read, or not in time; what comes later is shown all the same. */
  phase: 'loading' | 'known' | 'failed';
  /** Whether this browser can keep videos; null until it was tried. */
  isPossible: boolean | null;
  /** The trial has not been answered in time. */
  isPlaceLate: boolean;
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
  isRoomLate: false,
  phase: 'loading',
  isPossible: null,
  isPlaceLate: false,
  isPersistent: null,
  activeId: null,
  encodings: {},
  isElsewhere: false,
});

export const saved = proxy<SavedViewState>(initial());

/** Videos that this or another tab has removed: their object URLs end, and nothing plays them. */
export const savedRemoved = createSignal<readonly string[]>();

/** The rights of the saved videos were looked at, at most once an hour. */
export const savedChecked = createSignal();

let reading: Promise<void> | null = null;
let isStale = false;

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
    // The wait for an unknown viewer keeps this from ending before it counts as begun.
    const rows = await (viewer === undefined ? null : listInTime(viewer).catch(failureOf));
    if (viewer !== savedViewer()) isStale = true;
    else if (typeof rows === 'string') saved.phase = 'failed';
    else if (rows) commit(rows);
    // The server's answer will tell whose list it is.
    else if (session.phase === 'failed') saved.phase = 'failed';
    if (rows === 'late') break;
  }
  reading = null;
}

const failureOf = (error: unknown) => (error instanceof Unanswered ? 'late' : 'failed');

/** Rows that come too late are shown, unless they have been read again. */
function listInTime(viewer: string): Promise<SavedVideo[]> {
  return storageAnswer(savedStore.list(viewer), (rows) => {
    if (saved.phase !== 'known' && viewer === savedViewer()) commit(rows);
    if (isStale) void readSaved();
  });
}

function commit(all: readonly SavedVideo[]): void {
  // A watched video is listed once it is whole.
  const rows = all.filter(({ kind, state }) => kind === 'chosen' || state === 'whole');
  Object.assign(saved, { rows: ref(rows), phase: 'known' });
  savedNotice.playable = rows.filter(({ state }) => state === 'whole').length;
  showAppBadge('saved', rows.filter((row) => isToBeFetched(row) || row.state === 'paused').length);
  readGranted();
}

/** The list never waits for this: a browser that takes room away may be slow to answer. */
function readGranted(): void {
  const { rows } = saved;
  // A later read asks again.
  const show = (known: Partial<SavedViewState>) => {
    if (saved.rows === rows) Object.assign(saved, known);
  };
  const showRoom = (room: SavedRoom) => show({ room, isRoomLate: false });
  storageAnswer(readRoom(), showRoom).then(showRoom, () => show({ isRoomLate: true }));
  void isPromised().then((isPersistent) => show({ isPersistent }));
}
