import { proxy } from 'valtio/vanilla';
import { subscribeKey } from 'valtio/vanilla/utils';
import { recovered } from '#app/platform/link.ts';
import { keepScreenOn } from '#app/platform/wake-lock.ts';
import { checkForUpdates } from '#app/platform/worker-link.ts';
import { forgetLearned, storeLearned } from '#app/playback/learned-device.ts';
import { playerFacts, playerOf } from '#app/playback/player/player.ts';
import { appUpdate, reloadApp } from '#app/state/app-update.ts';
import { connection, resetConnection, watchConnection } from '#app/state/connection.ts';
import { navigation } from '#app/state/navigation.ts';
import { onUserChange, session } from '#app/state/session.ts';
import { venue } from '#app/state/settings.ts';
import { pollStatus } from '#app/state/status.ts';
import {
  changeSetup,
  endIfAsked,
  keepChoice,
  lockVenue,
  readPart,
  reportVenue,
  storePart,
  venueSetup,
  venueTimes,
} from '#app/state/venue-setup.ts';
import { limits } from '#contract/limits.ts';
import { byQuadrant, quadrants } from '#contract/quadrants.ts';
import { after, every, now } from '#device/timers.ts';
import { feed, hasNothingToPlay } from '../feed-state.ts';
import { leaveFeed, openFeed, resetFeed, returnToFeed, startAll } from '../feed-store.ts';
import { keepFilters, openGrid, restorePins, storeStills } from './venue-grid.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const playAgainMs = 5 * secondMs;
const clockReadMs = 30 * secondMs;
const stillsMinutes = 5;
const reopenAfterSeconds = 60;
const reloadAfterSeconds = 5 * 60;
/** The hour of local time from which an update is accepted. */
const updateHour = 4;
const maxReloadsADay = 6;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** The grid moves along a circle of this radius, so that no edge burns into the screen. */
const shiftPx = 4;
const shiftPlaces = 16;

interface VenueView {
  isClosed: boolean;
  /** Counts the openings of the players, which are attached again after each. */
  round: number;
  /** Pixels by which the grid is moved. */
  shift: { x: number; y: number };
}

export const venueView = proxy<VenueView>({ isClosed: venue.isAsleep, round: 0, shift: { x: 0, y: 0 } });

/** When the last key or touch came, in epoch milliseconds. */
export const lastTouch = { at: 0 };

/**
 * Plays by itself, follows its hours and the server, and mends itself. Returns a function that
 * stops it.
 */
export function runVenue(): () => void {
  const run = new VenueRun();
  try {
    run.start();
  } catch (error) {
    run.stop();
    throw error;
  }
  return () => run.stop();
}

class VenueRun {
  private stops: (() => void)[] = [];
  private readonly movement = new Movement();
  /**
   * Seconds in which nothing has moved. They are counted, because the clock of a device may jump.
   */
  private standingSeconds = 0;
  private updateDueAt: number | null = null;
  private hasPlayed = false;
  private minutes = 0;
  private stopPolling = () => {};

  start(): void {
    keepChoice();
    lockVenue();
    this.stopPolling = pollStatus();
    this.stops = [
      every(secondMs, () => this.passSecond()),
      every(playAgainMs, () => this.playRefused()),
      every(clockReadMs, () => this.readClock()),
      every(limits.venueReportSeconds * secondMs, () => this.passMinute()),
      subscribeKey(appUpdate, 'isReady', () => this.considerUpdate()),
      subscribeKey(session, 'phase', endIfAsked),
      onUserChange(() => after(0, () => this.followUser())),
      recovered.listen(restorePins),
    ];
    endIfAsked();
    if (!venueView.isClosed) this.play();
    if (!this.times().isOpen) this.close();
    else if (venueView.isClosed) this.open();
    else this.passMinute();
  }

  stop(): void {
    for (const stop of this.stops) stop();
    if (venueView.isClosed) this.wake();
    this.stopPolling();
    keepScreenOn('venue', false);
  }

  /** The end of a session takes its filters along: those of the venue stay. */
  private followUser(): void {
    endIfAsked();
    keepFilters();
  }

  /** Muted, because browsers let nothing else play without a tap. */
  private play(): void {
    this.hasPlayed = true;
    for (const quadrant of quadrants) playerOf(quadrant).setMuted(true);
    startAll();
    openGrid();
  }

  private passSecond(): void {
    if (venueView.isClosed) return;
    const isMoving = this.movement.count() > 0;
    const canMove = connection.isReachable && !hasNothingToPlay(feed) && !document.hidden;
    this.standingSeconds = isMoving || !canMove ? 0 : this.standingSeconds + 1;
    this.mend();
  }

  private passMinute(): void {
    if (session.phase === 'known' && session.user && !venueSetup.hasAccount) changeSetup({ hasAccount: true });
    this.considerUpdate();
    if (venueView.isClosed) return;
    keepScreenOn('venue', true);
    restorePins();
    venueView.shift = shiftAt(Math.floor(now() / minuteMs));
    this.report();
    // At the start nothing is shown yet.
    if (this.minutes % stillsMinutes === 1 && connection.isReachable) void storeStills();
    this.minutes += 1;
  }

  /** Compares the time with the hours: a device that slept finds out within half a minute. */
  private readClock(): void {
    const { isOpen } = this.times();
    if (isOpen && venueView.isClosed) this.open();
    if (!isOpen && !venueView.isClosed) this.close();
  }

  private times() {
    return venueTimes(venueSetup.hours, new Date(now()));
  }

  /** Black, without a decoder, a lock or a call. */
  private close(): void {
    this.report();
    venueView.isClosed = true;
    storeLearned('opens', now() + (this.times().opensIn ?? 0) * secondMs);
    venue.isAsleep = true;
    if (feed.isOpen) leaveFeed();
    this.stopPolling();
    resetConnection();
    checkForUpdates(false);
    keepScreenOn('venue', false);
  }

  /** The feed stays away where another view has been opened meanwhile. */
  private wake(): void {
    venueView.isClosed = false;
    venue.isAsleep = false;
    forgetLearned('opens');
    watchConnection();
    checkForUpdates(true);
    if (navigation.view === 'feed' && !feed.isOpen) returnToFeed();
    recovered.emit();
  }

  private open(): void {
    this.wake();
    if (!this.hasPlayed) this.play();
    this.stopPolling();
    this.stopPolling = pollStatus();
    this.standingSeconds = 0;
    this.passMinute();
  }

  private playRefused(): void {
    if (venueView.isClosed) return;
    for (const quadrant of quadrants) if (playerFacts[quadrant].isBlocked) playerOf(quadrant).play();
  }

  /** Opens the players again, and then the page, when nothing has moved although it could. */
  private mend(): void {
    const { standingSeconds } = this;
    if (standingSeconds >= reloadAfterSeconds && mayReload()) reload();
    else if (standingSeconds > 0 && standingSeconds % reopenAfterSeconds === 0) this.reopen();
  }

  private reopen(): void {
    resetFeed();
    openFeed();
    venueView.round += 1;
    this.play();
  }

  /**
   * A new version is accepted in the first minute after four in the morning in which nobody touches
   * the screen, or at once where nothing has moved for a minute.
   */
  private considerUpdate(): void {
    if (!appUpdate.isReady) return;
    const nextAt = nextUpdateTime(now());
    // An earlier one is further away only if the clock was set back.
    this.updateDueAt = Math.min(this.updateDueAt ?? nextAt, nextAt);
    const isQuiet = Math.abs(now() - lastTouch.at) >= minuteMs;
    const isDue = now() >= this.updateDueAt && isQuiet;
    const isStanding = !venueView.isClosed && this.standingSeconds >= reopenAfterSeconds;
    if ((isDue || isStanding) && mayReload()) reload();
  }

  private report(): void {
    const { closesIn, opensIn } = this.times();
    const isSignedOut = venueSetup.hasAccount && session.phase === 'known' && session.user === null;
    reportVenue({
      playing: this.movement.moving,
      ...(isSignedOut && { is_signed_out: true }),
      ...(closesIn !== null && opensIn !== null && { closes_in: closesIn, opens_in: opensIn }),
    });
  }
}

/** A position that goes further within a second was not reached by playing. */
const maxStepSeconds = 10;

/** Counts the quadrants whose video has gone on within a second. */
class Movement {
  /** The last count. */
  moving = 0;
  private readonly positions = byQuadrant(() => 0);

  count(): number {
    const moved = quadrants.filter((quadrant) => {
      const { position } = playerOf(quadrant);
      const before = this.positions[quadrant];
      this.positions[quadrant] = position;
      return position > before && position < before + maxStepSeconds && !playerFacts[quadrant].isResting;
    });
    this.moving = moved.length;
    return moved.length;
  }
}

function shiftAt(minute: number): VenueView['shift'] {
  const angle = (2 * Math.PI * (minute % shiftPlaces)) / shiftPlaces;
  return { x: Math.round(shiftPx * Math.cos(angle)), y: Math.round(shiftPx * Math.sin(angle)) };
}

function nextUpdateTime(after: number): number {
  const at = new Date(after);
  at.setHours(updateHour, 0, 0, 0);
  if (at.getTime() <= after) at.setDate(at.getDate() + 1);
  return at.getTime();
}

/**
 * Once an hour and six times a day at most, also beyond reloads; never where that cannot be stored.
 */
function mayReload(): boolean {
  const times = reloadTimes();
  return times.length < maxReloadsADay && times.every((at) => now() - at >= hourMs) && storePart('reloads', times);
}

/** The times of the last day; those of a clock that was set back since do not count. */
function reloadTimes(): number[] {
  const stored = readPart('reloads');
  return (Array.isArray(stored) ? stored : []).filter((at) => now() - at >= 0 && now() - at < dayMs);
}

/** Loads the page anew within a minute, or once that is allowed. */
export function reloadWhenAllowed(): void {
  const stop = every(minuteMs, () => {
    if (!mayReload()) return;
    stop();
    reload();
  });
}

function reload(): void {
  storePart('reloads', [...reloadTimes(), now()]);
  void reloadApp();
}
