import { subscribe } from 'valtio/vanilla';
import { HttpError, send, sendBeacon } from '#app/platform/http/send.ts';
import { viewerMark } from '#app/platform/http/token-store.ts';
import { recovered } from '#app/platform/link.ts';
import { createSignal } from '#app/platform/signal.ts';
import { listWatched, recordWatched } from '#contract/endpoints.ts';
import { limits } from '#contract/limits.ts';
import { facts } from '#device/device-database.ts';
import type { ShownVideo } from '#device/device-schema.ts';
import { filterCache } from '#device/filter-cache.ts';
import { after } from '#device/timers.ts';
import { connection } from './connection.ts';
import { sendAs } from './send-as.ts';
import { session } from './session.ts';
import { siteConfig } from './site-config.ts';
import { shownVideos } from './unsent.ts';
import type { ViewerId } from './viewer-cache.ts';
import { currentViewer, watchViewer } from './viewer-cache.ts';

/** Raised when the viewer's log was emptied: all videos count as new. */
export const watchedForgotten = createSignal();

/** The time after which a report that waits for a pick is due again. */
const pickPauseMs = 500;

/** Each report begins with some that were reported before, so that a lost one leaves no gap. */
const perReport = limits.watchedPerCall - limits.watchedReportedAgain;

const { shownOnDevice, watchedReportedAgain, watchedUnsent } = limits;
const { method, path: address } = recordWatched;

/** Tells the server which videos came to the screen, in their order, for whoever watched them. */
class WatchedLog {
  private isPickOpen = () => false;
  /** Who has watched `shownVideos.untold`; undefined until it is known. */
  private viewer: ViewerId;
  private heard = 0;
  private isSending = false;
  private sent: Promise<boolean> = Promise.resolve(false);
  /** Some of the untold videos are stored on the device. */
  private isStored = false;
  private isRead = false;
  private cancelReport = () => {};
  private stops: (() => void)[] = [];

  /** Further calls do nothing. */
  start(): void {
    if (this.stops.length > 0) return;
    const hide = () => document.hidden && this.leave();
    document.addEventListener('visibilitychange', hide);
    window.addEventListener('pagehide', this.leave);
    this.stops = [
      () => document.removeEventListener('visibilitychange', hide),
      () => window.removeEventListener('pagehide', this.leave),
      subscribe(shownVideos, () => this.hear()),
      // Batched: between two changes of one sign-in it would look as if nobody were signed in.
      subscribe(session, () => this.matchViewer()),
      recovered.listen(() => void this.report()),
    ];
    this.matchViewer();
    this.hear();
  }

  /** Keeps reports back while this says that a quadrant waits for its pick. */
  yieldTo(isPickOpen: () => boolean): void {
    this.isPickOpen = isPickOpen;
  }

  /**
   * Drops what was not reported, and what this device remembers of the viewer.
   * @param forgetThere empties the server's log, between two reports; nothing is dropped if it fails
   */
  async forget(forgetThere: () => Promise<unknown> = async () => {}): Promise<void> {
    const [viewer = null, mark, isSame] = [currentViewer(), viewerMark(), watchViewer()];
    while (this.isSending) await this.sent;
    // The log of somebody who has signed in meanwhile is not meant.
    if (!isSame()) return;
    this.isSending = true;
    try {
      await forgetThere();
      if (isSame()) Object.assign(shownVideos, nothingShown());
      this.heard = shownVideos.untold.length;
      await storeUntold((known) => known.filter(({ userId }) => userId !== viewer));
      const nothing = { userId: viewer, ids: [] };
      await facts.update('shown-videos', (known) => (known && known.userId !== viewer ? known : nothing));
      if (mark !== null) await filterCache.forget(mark, listWatched.path);
      watchedForgotten.emit();
    } finally {
      this.isSending = false;
      void this.report();
    }
  }

  stop(): void {
    for (const stop of this.stops) stop();
    this.cancelReport();
    Object.assign(shownVideos, nothingShown());
    Object.assign(this, { stops: [], heard: 0, viewer: undefined, isRead: false, isSending: false });
    Object.assign(this, { isStored: false, isPickOpen: () => false });
  }

  private hear(): void {
    const { untold } = shownVideos;
    const isMore = untold.length > this.heard;
    this.heard = untold.length;
    if (!siteConfig.remembersWatched) untold.splice(0);
    else if (isMore) this.reportIn(untold.length < limits.watchedReportVideos ? limits.watchedReportSeconds * 1000 : 0);
  }

  private reportIn(ms: number): void {
    this.cancelReport();
    this.cancelReport = after(ms, () => void this.report());
  }

  /** One report is in flight at a time; what was shown meanwhile follows it. */
  async report(): Promise<void> {
    const { viewer } = this;
    if (viewer === undefined || !this.isRead || this.isSending || shownVideos.untold.length === 0) return;
    if (this.isPickOpen()) return this.reportIn(pickPauseMs);
    shownVideos.untold.splice(0, Math.max(0, shownVideos.untold.length - limits.watchedUnsent));
    const ids = shownVideos.untold.slice(0, perReport);
    this.isSending = true;
    const send = () => connection.isReachable && tell(viewer, [...shownVideos.told, ...ids]);
    this.sent = rememberShown(viewer, ids).then(send);
    const isDone = await this.sent;
    this.isSending = false;
    // Another viewer's shown videos begin anew.
    if (this.viewer !== viewer) return void this.report();
    if (!isDone) return this.store();
    this.settle(viewer, ids);
    void this.report();
  }

  private settle(viewer: string | null, ids: readonly string[]): void {
    const isSame = ids.every((id, at) => shownVideos.untold[at] === id);
    if (isSame) shownVideos.untold.splice(0, ids.length);
    this.heard = shownVideos.untold.length;
    shownVideos.told = [...shownVideos.told, ...ids].slice(-watchedReportedAgain);
    if (this.isStored)
      void storeUntold((known) => known.filter(({ userId, id }) => userId !== viewer || !ids.includes(id)));
    this.isStored = shownVideos.untold.length > 0 && this.isStored;
  }

  /** Stores what could not be reported: it goes with the next report, also after a restart. */
  private async store(): Promise<void> {
    const { viewer } = this;
    const ids = [...shownVideos.untold];
    if (viewer === undefined || ids.length === 0) return;
    this.isStored = true;
    await Promise.all([
      rememberShown(viewer, ids),
      storeUntold((known) => [
        ...known.filter(({ userId, id }) => userId !== viewer || !ids.includes(id)),
        ...ids.map((id) => ({ userId: viewer, id })),
      ]),
    ]);
  }

  /** Reports the rest when the page may not return. A report in flight outlives the page. */
  private readonly leave = (): void => {
    const { viewer } = this;
    const ids = shownVideos.untold.slice(0, perReport);
    if (viewer === undefined || ids.length === 0) return;
    // A beacon carries no token: what somebody who is signed in has watched would not be theirs.
    const canBeacon = viewer === null && !this.isSending && connection.isReachable;
    if (canBeacon && sendBeacon(address, { ids: [...shownVideos.told, ...ids] })) {
      void rememberShown(viewer, ids);
      this.settle(viewer, ids);
    } else {
      void this.store();
      if (!this.isPickOpen()) void this.report();
    }
  };

  private matchViewer(): void {
    const next = currentViewer();
    if (next === this.viewer) return;
    if (this.viewer !== undefined) {
      void this.store();
      Object.assign(this, { heard: 0, isStored: false });
      Object.assign(shownVideos, nothingShown());
    }
    this.viewer = next;
    this.isRead = false;
    if (next !== undefined) void this.readStored(next);
  }

  private async readStored(viewer: string | null): Promise<void> {
    const stored = (await facts.read('untold-videos').catch(() => undefined)) ?? [];
    if (this.viewer !== viewer) return;
    const ids = stored.flatMap(({ userId, id }) => (userId === viewer ? id : []));
    this.isRead = true;
    this.isStored = ids.length > 0;
    if (ids.length > 0) shownVideos.untold.unshift(...ids);
    if (shownVideos.untold.length > 0) this.reportIn(limits.watchedReportSeconds * 1000);
  }
}

export const watchedLog = new WatchedLog();

/** The ids of the last videos that this device has shown the viewer. */
export async function shownHere(): Promise<ReadonlySet<string>> {
  const shown = await facts.read('shown-videos').catch(() => undefined);
  const ids = shown?.userId === (currentViewer() ?? null) ? shown.ids : [];
  return new Set([...ids, ...shownVideos.untold]);
}

async function rememberShown(viewer: string | null, ids: readonly string[]): Promise<void> {
  const remember = (known: readonly string[]) =>
    [...known.filter((id) => !ids.includes(id)), ...ids].slice(-shownOnDevice);
  const update = facts.update('shown-videos', (known) => ({
    userId: viewer,
    ids: remember(known?.userId === viewer ? known.ids : []),
  }));
  await update.catch(ignoreFailure);
}

async function storeUntold(change: (known: readonly ShownVideo[]) => ShownVideo[]): Promise<void> {
  const update = facts.update('untold-videos', (known = []) => change(known).slice(-watchedUnsent));
  await update.catch(ignoreFailure);
}

const nothingShown = () => ({ untold: [], told: [] });

/** The disk is full: what was shown is remembered as long as the page. */
function ignoreFailure(): void {}

/**
 * Reports some videos as those of this viewer. The request goes on when the page is left.
 * @returns false when it may be sent again later; a refused report would be refused again
 */
async function tell(viewer: string | null, ids: readonly string[]): Promise<boolean> {
  const request = { method, address, body: { ids }, keepalive: true };
  if (viewer !== null) {
    const answer = await sendAs({ ...request, userId: viewer });
    return answer.kind === 'answered' && isFinal(answer.status);
  }
  try {
    await send(request, null);
    return true;
  } catch (error) {
    return error instanceof HttpError && isFinal(error.status);
  }
}

/** A closed gate, an ended session and a busy server may take the report later. */
function isFinal(status: number): boolean {
  return status < 500 && status !== 401 && status !== 429;
}
