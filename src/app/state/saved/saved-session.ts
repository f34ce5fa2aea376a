import { subscribe } from 'valtio/vanilla';
import { locks, savesData } from '#app/platform/capabilities.ts';
import { canStart } from '#app/platform/http/address.ts';
import { reached } from '#app/platform/http/send.ts';
import { broadcastChannel } from '#app/platform/later-capabilities.ts';
import { onLinkChange, recovered } from '#app/platform/link.ts';
import { mediaBudget } from '#app/playback/media-budget.ts';
import { SaveEngine } from '#app/transfer/save-engine.ts';
import { leaseSeconds, SendingTab } from '#app/transfer/sending-tab.ts';
import { facts } from '#device/device-database.ts';
import type { SavedBytes } from '#device/saved/saved-bytes.ts';
import { openSavedBytes } from '#device/saved/saved-bytes.ts';
import { savedStore } from '#device/saved/saved-store.ts';
import type { SavedVideo } from '#device/saved/saved-video.ts';
import { isToBeFetched, lacksExtras } from '#device/saved/saved-video.ts';
import type { TabTurn } from '#device/tab-turn.ts';
import { LeaseTurn, LockTurn, sweepTime } from '#device/tab-turn.ts';
import { now } from '#device/timers.ts';
import { appUpdate } from '../app-update.ts';
import { linkChoice, readLink, reelChoice } from '../link-choice.ts';
import { changedOnServer } from '../revision.ts';
import { session } from '../session.ts';
import { fetchExtras, fetchPiece, findAddress } from './saved-calls.ts';
import { checkRights } from './saved-rights.ts';
import { readRoom, savedSpace, storageAnswer } from './saved-room.ts';
import { listReel, readSaved, resetSaved, saved, savedChecked, savedRemoved, savedViewer } from './saved-state.ts';

/** Rows that were asked for by a press of this page: Save-Data does not hold them back. */
const pressed = new Set<string>();

let channel: BroadcastChannel | undefined;
let viewer: string | undefined;
let tab: SendingTab | null = null;
let engine: SaveEngine | null = null;
let stop: (() => void) | null = null;
let tidying: Promise<void> = Promise.resolve();

/**
 * Starts showing the viewer's saved videos, and fetching those that wait when possible. A sign-out,
 * here or in another tab, stops this at once. Further calls do nothing.
 */
export function startSaved(): void {
  if (stop) return;
  const stops = [
    subscribe(session, onSession),
    subscribe(saved, openTabIfNeeded),
    subscribe(linkChoice, () => void engine?.plan()),
    subscribe(savedSpace, () => void onStored()),
    recovered.listen(onRecovered),
    // Another plan may take videos away.
    changedOnServer.profile.listen(() => void check(0)),
    onLinkChange(() => engine?.hurry()),
    watchOtherTabs(() => void onStored()),
  ];
  stop = () => {
    for (const end of stops) end();
  };
  onSession();
}

export function stopSaved(): void {
  stop?.();
  stop = null;
  closeTab();
  viewer = undefined;
  pressed.clear();
  resetSaved();
}

/**
 * Resolves when the rows of whoever is here were read, and it is known whether this browser keeps
 * videos, or when the browser has not answered in time: then `saved` says so until it does.
 */
export async function savedOpened(): Promise<void> {
  startSaved();
  const { phase } = saved;
  Object.assign(saved, { phase: phase === 'failed' ? 'loading' : phase, isRoomLate: false });
  await Promise.all([readSaved(), findPlace()]);
}

/** Resolves when the rows of whoever is here are as the device and the server have them. */
export async function savedTidied(): Promise<void> {
  startSaved();
  await tidying;
}

/**
 * Shows and fetches rows that this tab has added or changed.
 * @param ids those that the viewer has just pressed for
 */
export async function announceSaved(ids: readonly string[] = []): Promise<void> {
  for (const id of ids) pressed.add(id);
  await publishSaved();
  await engine?.plan();
}

/** Removes rows with their bytes, in all tabs. */
export async function removeSaved(ids: readonly string[]): Promise<void> {
  await savedStore.remove(ids);
  await dropBytes(ids);
}

/**
 * Removes all that the viewer keeps here, as far as it can be removed now; the rest is locked
 * later.
 */
export async function removeAllSaved(): Promise<void> {
  const userId = savedViewer();
  if (userId === undefined) return;
  const remove = async () => {
    const videos = await savedStore.list(userId);
    if (videos.length > 0) await removeSaved(videos.map(({ id }) => id));
  };
  // Storage that does not answer keeps nobody from signing out.
  await storageAnswer(remove()).catch(() => {});
}

/** Removes bytes after their rows have said so: nothing plays them any more, in no tab. */
async function dropBytes(ids: readonly string[]): Promise<void> {
  await publishSaved({ kind: 'removed', ids });
  await engine?.plan();
  const bytes = await openSavedBytes();
  // The sweep of the next start removes the rest.
  await Promise.all(ids.map((id) => bytes?.remove(id))).catch(() => {});
  await readSaved();
}

/** A message from one tab of this browser to the others. */
type SavedMessage = { kind: 'changed' } | { kind: 'removed'; ids: readonly string[] };

/** Hears of changes by other tabs. Returns a function that stops it. */
function watchOtherTabs(onChange: () => void): () => void {
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
async function publishSaved(message: SavedMessage = { kind: 'changed' }): Promise<void> {
  channel?.postMessage(message);
  if (message.kind === 'removed') savedRemoved.emit(message.ids);
  await readSaved();
}

function onSession(): void {
  const next = savedViewer();
  if (next === viewer) {
    // The list says when it cannot be known whose it is.
    if (next === undefined) void readSaved();
    return;
  }
  viewer = next;
  closeTab();
  resetSaved();
  tidying = next === undefined ? Promise.resolve() : tidy(next);
}

/** Finds out whether this browser keeps videos. A trial without an answer is made anew. */
async function findPlace(): Promise<void> {
  const trial = openSavedBytes(saved.isPlaceLate);
  saved.isPlaceLate = false;
  await storageAnswer(trial, showPlace).then(showPlace, () => {
    saved.isPlaceLate = saved.isPossible === null;
  });
}

function showPlace(bytes: SavedBytes | null): void {
  Object.assign(saved, { isPossible: bytes !== null, isPlaceLate: false });
  reelChoice.isPossible = bytes !== null;
}

/** Brings rows and bytes in step with each other and with the server. It may take long: nobody waits. */
async function tidy(next: string): Promise<void> {
  await savedOpened();
  const bytes = await openSavedBytes();
  if (viewer !== next) return;
  // A store that cannot be read is read again at the next change.
  const expired = await sweepTime()
    .then((time) => savedStore.lockOthers(next, time))
    .catch(() => []);
  if (expired.length > 0) await removeSaved(expired).catch(() => {});
  if (bytes) await sweep(bytes).catch(() => {});
  if (viewer !== next) return;
  await readSaved();
  await check();
}

/** Takes back what the viewer may no longer have: a chosen video stays in the list with the reason. */
async function check(leastMs?: number): Promise<void> {
  const lost = await checkRights(saved.rows, leastMs);
  savedChecked.emit();
  if (lost.length === 0) return readSaved();
  const ofReel = lost.filter(({ kind }) => kind === 'reel').map(({ id }) => id);
  const chosen = lost.filter(({ kind }) => kind === 'chosen').map(({ id }) => id);
  for (const id of chosen) await savedStore.change(id, () => ({ state: 'failed', reason: 'gone', savedBytes: 0 }));
  await savedStore.remove(ofReel);
  await dropBytes([...ofReel, ...chosen]);
}

async function onStored(): Promise<void> {
  await readSaved();
  await engine?.plan();
}

function onRecovered(): void {
  engine?.hurry();
  void check();
}

/** Competes for the turn only while something is to be fetched: a lease is written each second. */
function openTabIfNeeded(): void {
  const userId = viewer;
  if (tab || userId === undefined || !saved.isPossible || !saved.rows.some(isWanted)) return;
  saved.isElsewhere = true;
  tab = new SendingTab(
    savingTurn(),
    () => void startEngine(userId),
    () => stopEngine(),
  );
  tab.start();
}

function isWanted(video: SavedVideo): boolean {
  return isToBeFetched(video) || lacksExtras(video);
}

function closeTab(): void {
  stopEngine();
  tab?.stop();
  tab = null;
}

async function startEngine(userId: string): Promise<void> {
  const bytes = await openSavedBytes();
  if (!bytes || viewer !== userId || !tab) return;
  saved.isElsewhere = false;
  const created = new SaveEngine({
    userId,
    store: savedStore,
    bytes,
    budget: mediaBudget,
    findAddress,
    fetchPiece,
    fetchExtras,
    hasRoom: ({ size, savedBytes }) => makeRoom(size - savedBytes),
    mayFetch: ({ id }) => {
      const { isOnline, isAllowed } = readLink('saving');
      return isOnline && isAllowed && (pressed.has(id) || !savesData());
    },
    canStart: (url) => canStart(url, now()) !== false,
    onChange: () => {
      Object.assign(saved, { activeId: created.activeId, encodings: created.listEncodings() });
      appUpdate.isSaving = created.activeId !== null;
      void publishSaved();
    },
    // This checks at once whether the server is reachable.
    onUnanswered: () => reached.emit('silent'),
    chance: Math.random,
  });
  engine = created;
  await created.plan();
}

/** The reel gives way to what a viewer has chosen, the least recently played first. */
async function makeRoom(bytes: number): Promise<boolean> {
  const fits = async () => bytes <= (await storageAnswer(readRoom())).left;
  for (const { id } of listReel()) {
    if (await fits()) return true;
    await removeSaved([id]);
  }
  return fits();
}

function stopEngine(): void {
  engine?.stop();
  engine = null;
  Object.assign(saved, { activeId: null, encodings: {}, isElsewhere: tab !== null });
  appUpdate.isSaving = false;
}

/** Decides which tab of this browser fetches. */
function savingTurn(): TabTurn {
  const manager = locks();
  return manager ? new LockTurn(manager, 'fourfold.saved') : new LeaseTurn(facts, 'saved-lease', leaseSeconds);
}

/**
 * Removes bytes without a row and rows that this build cannot use, and marks videos of which the
 * browser has removed bytes. Those of the reel leave.
 */
async function sweep(bytes: SavedBytes): Promise<void> {
  // The owners are listed first: a row is added before its bytes.
  const owners = await bytes.listOwners();
  const { videos, unusable } = await savedStore.listAll();
  await savedStore.remove(unusable);
  for (const owner of await savedStore.listRowless(owners)) await bytes.remove(owner);
  const isLookedAt = ({ state, kind, reason }: SavedVideo) =>
    state === 'whole' || kind === 'reel' || reason === 'evicted';
  for (const video of videos.filter(isLookedAt)) await sweepOne(video, bytes);
}

/** Bytes that could not be read once may be there after all. */
async function sweepOne(video: SavedVideo, bytes: SavedBytes): Promise<void> {
  const isWhole = video.state !== 'paused' && (await bytes.open(video)) !== null;
  if (isWhole && video.state === 'whole') return;
  if (isWhole && video.reason === 'evicted') {
    await savedStore.change(video.id, ({ size }) => ({ state: 'whole', reason: null, savedBytes: size }));
    return;
  }
  if (video.kind === 'reel') {
    await savedStore.remove([video.id]);
    return bytes.remove(video.id);
  }
  const savedBytes = await bytes.measure(video);
  await savedStore.change(video.id, () => ({ state: 'failed', reason: 'evicted', savedBytes }));
}
