import { subscribe } from 'valtio/vanilla';
import { subscribeKey } from 'valtio/vanilla/utils';
import { matches, savesData } from '#app/platform/capabilities.ts';
import { reached } from '#app/platform/http/send.ts';
import { PerformanceReporter } from '#app/playback/health/performance-reporter.ts';
import type { QualitySample } from '#app/playback/health/quality-sampler.ts';
import { startSampler } from '#app/playback/health/quality-sampler.ts';
import { StallDetector } from '#app/playback/health/stall-detector.ts';
import { limitByNetwork } from '#app/playback/media-budget.ts';
import { openedPlayers, playerFacts, playerOf } from '#app/playback/player/player.ts';
import type { QualityHost } from '#app/playback/quality/quality-control.ts';
import { QualityControl } from '#app/playback/quality/quality-control.ts';
import { refineDeviceClass } from '#app/playback/quality/refine-device-class.ts';
import { kbpsOf } from '#app/playback/quality/rendition-choice.ts';
import { connection } from '#app/state/connection.ts';
import { notePlaying } from '#app/state/install.ts';
import { reelChoice } from '#app/state/link-choice.ts';
import { savedNotice, savedUrlsEnded } from '#app/state/saved/saved-notice.ts';
import { session } from '#app/state/session.ts';
import { announceAudioLanguage, announceShuffle, settings } from '#app/state/settings.ts';
import { siteConfig } from '#app/state/site-config.ts';
import { watchedLog } from '#app/state/watched-log.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { byQuadrant, quadrants } from '#contract/quadrants.ts';
import { after, every, now } from '#device/timers.ts';
import { controls } from './controls/controls-store.ts';
import { feed } from './feed-state.ts';
import { videosOf } from './feed-store.ts';
import { watchVanishedChannels } from './filter/vanished-channels.ts';
import type { FeedVideo } from './quadrant/quadrant.ts';
import { isSaved, isSettled } from './quadrant/quadrant.ts';
import { machines } from './quadrant/quadrant-machine.ts';
import { watchRounds } from './rounds.tsx';

/** Starts the monitors of players that already play; the first frames do not depend on them. */
export function startFeedMonitors(): void {
  const reporter = new PerformanceReporter(() => siteConfig.measuredOneIn);
  reporter.start();
  startWatchdog();
  startRotation();
  watchSaved();
  const control = new QualityControl(qualityHost);
  const watched = new WatchedVideos();
  startSampler((samples) => {
    limitByNetwork();
    if (samples.length > 0) notePlaying();
    watched.note(
      byQuadrant((quadrant) => feed.quadrants[quadrant].shown),
      samples.map(({ quadrant }) => quadrant),
    );
    reporter.add(samples);
    control.judge(samples);
  }, kbpsIn);
  void refineDeviceClass();
  watchedLog.yieldTo(() => quadrants.some((quadrant) => feed.quadrants[quadrant].activity.kind === 'asking'));
  watchedLog.start();
  watchRounds();
  watchVanishedChannels();
  if (session.user === null) announceShuffle(settings.shuffle);
  announceAudioLanguage();
}

/** The four quadrants for the quality control. A pinned video always keeps its encoding. */
export const qualityHost: QualityHost = {
  read(quadrant) {
    const state = feed.quadrants[quadrant];
    return (
      state.shown && {
        video: state.shown,
        isExpanded: feed.expanded === quadrant,
        isAudible: !playerFacts[quadrant].isMuted,
        quality: settings.quality,
        isFree: !state.pinned && !state.isGivenAway && isSettled(state),
      }
    );
  },
  replaced(quadrant, { id, url, rendition, audioTrack }) {
    const { shown } = feed.quadrants[quadrant];
    if (shown?.id === id)
      machines[quadrant].send({ type: 'addressed', video: { ...shown, url, rendition, audioTrack } });
  },
};

function kbpsIn({ quadrant, videoId }: QualitySample): number | null {
  const video = feed.quadrants[quadrant].shown;
  return video && video.id === videoId ? kbpsOf(video) : null;
}

const checkEveryMs = 1_000;
/**
 * On a device that is late with its own checks, a picture that stands says nothing about decoders.
 */
const timelyChecks = 3;

/**
 * Recovers players that stand still although their data is there: where others move it first tries
 * whether a decoder is missing. Else it seeks to the current second, then reloads the source, then
 * reports a failure.
 */
export function startWatchdog(): () => void {
  const detectors = byQuadrant(() => new StallDetector());
  let checkedAt = now();
  let timely = 0;
  return every(checkEveryMs, () => {
    timely = now() - checkedAt < 2 * checkEveryMs ? timely + 1 : 0;
    checkedAt = now();
    for (const [quadrant, player] of openedPlayers()) {
      const detector = detectors[quadrant];
      const step = detector.check(player.progress());
      if (detector.isMoving || detector.standsStill) player.noteMotion(detector.isMoving);
      if (detector.standsStill && timely >= timelyChecks && player.tryDecoder()) continue;
      if (step) player.recover(step);
    }
  });
}

/**
 * Lets the quadrants of a device that shows fewer than four take turns: the one that has moved the
 * longest rests, unless somebody holds on to it. One that the viewer turns to moves at once.
 */
export function startRotation(): () => void {
  const movedSeconds = byQuadrant(() => 0);
  const longestOf = (choice: readonly Quadrant[]): Quadrant | undefined =>
    [...choice].sort((one, other) => movedSeconds[other] - movedSeconds[one])[0];
  const rest = (quadrant: Quadrant | undefined) => quadrant && playerOf(quadrant).rest();
  const takeTurns = () => {
    for (const quadrant of quadrants) movedSeconds[quadrant] = isMoving(quadrant) ? movedSeconds[quadrant] + 1 : 0;
    const isNobodyWaiting = quadrants.every((quadrant) => !playerFacts[quadrant].isResting);
    if (isNobodyWaiting || savesData() || matches('(prefers-reduced-motion: reduce)')) return;
    rest(longestOf(quadrants.filter((each) => movedSeconds[each] >= limits.rotateSeconds && !isHeld(each))));
  };
  const turnTo = (quadrant: Quadrant | null) => {
    if (quadrant === null || !playerFacts[quadrant].isResting) return;
    const others = quadrants.filter(isMoving);
    const free = others.filter((other) => !isHeld(other));
    playerOf(quadrant).goFirst();
    rest(longestOf(free.length > 0 ? free : others));
  };
  const stops = [every(checkEveryMs, takeTurns), subscribeKey(controls, 'active', turnTo)];
  return () => {
    for (const stop of stops) stop();
  };
}

function isMoving(quadrant: Quadrant): boolean {
  const { hasFrame, isPaused, isResting } = playerFacts[quadrant];
  return hasFrame && !isPaused && !isResting;
}

/**
 * Whether the viewer has pinned, expanded or unmuted the quadrant, or has its controls on screen.
 */
function isHeld(quadrant: Quadrant): boolean {
  const isChosen = feed.quadrants[quadrant].pinned !== null || feed.expanded === quadrant;
  return isChosen || !playerFacts[quadrant].isMuted || controls.active === quadrant;
}

/** The playing time after which a video counts as watched, in seconds. */
const watchedSeconds = 30;
/** A sample may miss the first and the last second of a short video. */
const missedSeconds = 2;

/** Counts what plays, and gives each watched video to the reel once it has left the screen. */
class WatchedVideos {
  private readonly playing = byQuadrant((): { video: FeedVideo; seconds: number } | null => null);

  /** To be called once a second. @param shown the videos on screen, those that play among them */
  note(shown: Readonly<Record<Quadrant, FeedVideo | null>>, plays: readonly Quadrant[]): void {
    for (const quadrant of quadrants) {
      const before = this.playing[quadrant];
      const video = shown[quadrant];
      if (before && before.video.url !== video?.url) {
        if (isWatched(before.video, before.seconds)) void keepWatched(before.video);
        this.playing[quadrant] = null;
      }
      if (!video || !plays.includes(quadrant) || isSaved(video)) continue;
      this.playing[quadrant] = { video, seconds: (this.playing[quadrant]?.seconds ?? 0) + 1 };
    }
  }
}

function isWatched({ durationSeconds }: FeedVideo, seconds: number): boolean {
  const whole = durationSeconds === null ? watchedSeconds : Math.max(1, durationSeconds - missedSeconds);
  return seconds >= Math.min(watchedSeconds, whole);
}

/** If the file does not load, the next watched video tries again. */
async function keepWatched(video: FeedVideo): Promise<void> {
  if (!reelChoice.isOn) return;
  const loaded = await import('#app/state/saved/reel.ts').catch(() => null);
  await loaded?.reel.keep(video);
}

/**
 * Watches what saved videos need while they play, or in their place. Returns a function that stops
 * it.
 */
export function watchSaved(): () => void {
  const stops = [savedUrlsEnded.listen(replaceEnded), ...quadrants.map(watchStarvation)];
  return () => {
    for (const stop of stops) stop();
  };
}

/** A video that is removed from this device leaves every quadrant at once, even a pinned one. */
function replaceEnded(urls: readonly string[]): void {
  for (const quadrant of quadrants) {
    const ids = videosOf(feed.quadrants[quadrant]).flatMap(({ id, url }) => (urls.includes(url) ? id : []));
    if (ids.length > 0) machines[quadrant].send({ type: 'hidden', ids });
  }
}

/** A wait for data after which the server is asked whether it is there. */
const askAfterMs = 500;
/** A wait after which a saved video takes the place of one whose server does not answer. */
const replaceAfterMs = 2_500;

function watchStarvation(quadrant: Quadrant): () => void {
  const starvation = new Starvation(quadrant);
  const note = () => {
    const { hasFrame, isPaused, isWaiting } = playerFacts[quadrant];
    starvation.note(hasFrame && isWaiting && !isPaused);
  };
  note();
  const stop = subscribe(playerFacts[quadrant], note);
  return () => {
    stop();
    starvation.end();
  };
}

/**
 * A quadrant that has played all it had. Where the server does not answer, a saved video follows; a
 * pinned one is waited for.
 */
class Starvation {
  private readonly quadrant: Quadrant;
  private cancel: (() => void) | null = null;

  constructor(quadrant: Quadrant) {
    this.quadrant = quadrant;
  }

  note(isWaiting: boolean): void {
    if (!isWaiting) this.end();
    else this.cancel ??= after(askAfterMs, () => this.ask());
  }

  end(): void {
    this.cancel?.();
    this.cancel = null;
  }

  private ask(): void {
    const { shown } = feed.quadrants[this.quadrant];
    if (!savedNotice.playable || !shown || isSaved(shown)) return;
    if (connection.isReachable) reached.emit('silent');
    this.cancel = after(replaceAfterMs - askAfterMs, () => this.replace());
  }

  private replace(): void {
    if (connection.isReachable && !connection.isInDoubt) this.end();
    else machines[this.quadrant].send({ type: 'interval-passed' });
  }
}
