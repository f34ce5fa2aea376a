import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { feed, isFeedSeen } from '#app/features/feed/feed-state.ts';
import { leaveFeed, resetFeed, returnToFeed } from '#app/features/feed/feed-store.ts';
import { move } from '#app/features/feed/quadrant/move.ts';
import type { FeedVideo, QuadrantState } from '#app/features/feed/quadrant/quadrant.ts';
import { comingOf } from '#app/features/feed/quadrant/quadrant.ts';
import { machines, skip, skipBack, togglePin } from '#app/features/feed/quadrant/quadrant-machine.ts';
import { removeFromFeed } from '#app/features/feed/supply/hidden-videos.ts';
import { recovered } from '#app/platform/link.ts';
import { playerOf } from '#app/playback/player/player.ts';
import { connection } from '#app/state/connection.ts';
import type { QuadrantFilter } from '#app/state/quadrant-filters.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { byQuadrant, quadrants } from '#contract/quadrants.ts';
import type { PickAnswer } from '../fake-library.ts';
import { noneAtAll, notYet } from '../fake-library.ts';
import { FeedStage } from '../feed-stage.ts';

/** Of the sixteen of the stage: four are shown, four prepared, and some have to be left to draw from. */
const maxBroken = 4;

type Act = (stage: FeedStage, here: Quadrant, there: Quadrant) => unknown;

const answerWith =
  (answer: PickAnswer | undefined): Act =>
  (stage) => {
    stage.library.answer = () => answer;
  };

/** The layer whose source has no frame yet, if there is one. */
const preparing = (stage: FeedStage, quadrant: Quadrant) => {
  const back = stage.screen.layer(quadrant, 'back');
  return back.hasAttribute('src') && back.readyState < 2 ? back : null;
};

/** Ids that were hidden in the run, which no pick gives any more. */
const hidden = new Set<string>();

function findVideo(pick: (state: QuadrantState) => FeedVideo | null | undefined): FeedVideo | null {
  return quadrants.reduce<FeedVideo | null>((found, name) => found ?? pick(feed.quadrants[name]) ?? null, null);
}

/** Another one joins the library, so that there are always enough. */
function hide({ library }: FeedStage, video: FeedVideo | null): void {
  if (!video) return;
  hidden.add(video.id);
  library.videos = [...library.videos.filter((id) => id !== video.id), `after-${video.id}`];
  library.taggings[`after-${video.id}`] = video.tagIds;
  removeFromFeed([video.id]);
}

const red: QuadrantFilter = { tagIds: ['red'], mode: 'OR' };

const filterBy =
  (filter: QuadrantFilter | null): Act =>
  (_, here) => {
    movedTo[here].clear();
    machines[here].send({ type: 'filter', filter });
  };

/** Videos that were moved to a quadrant since its filter changed: these need not match. */
const movedTo = byQuadrant(() => new Set<string>());

const acts: Record<string, Act> = {
  'filter by red': filterBy(red),
  'clear the filter': filterBy(null),
  skip: (_, here) => skip(here),
  'skip back': (_, here) => skipBack(here),
  pin: (_, here) => togglePin(here),
  'hide what is shown': (stage, here) => hide(stage, feed.quadrants[here].shown),
  'hide what comes': (stage) =>
    hide(
      stage,
      findVideo((state) => comingOf(state) ?? state.next),
    ),
  'hide what was shown': (stage) =>
    hide(
      stage,
      findVideo(({ past }) => past[0]),
    ),
  move: (_, here, there) => {
    if (here === there) return;
    for (const name of [here, there])
      for (const id of [...claimed(), ...quadrants.flatMap((one) => feed.quadrants[one].shown?.id ?? [])])
        movedTo[name].add(id);
    move(here, there);
  },
  'first frame': (stage, here) => preparing(stage, here)?.showNow(),
  'the picture stands': (stage) => stage.screen.settle(),
  end: (stage, here) => {
    const front = stage.screen.layer(here, 'front');
    if (front.readyState === 4 && !front.loop) front.endNow();
  },
  'the front fails': (stage, here) =>
    stage.screen.layer(here, 'front').hasAttribute('src') && stage.screen.layer(here, 'front').failNow(2),
  'the coming one fails': (stage, here) => preparing(stage, here)?.failNow(2),
  'a moment': (stage) => stage.seconds(0.5),
  'five seconds': (stage) => stage.seconds(5),
  interval: (stage) => stage.seconds(120),
  'answers are held': (stage) => stage.library.hold(),
  'answers come': (stage) => {
    stage.library.letGo();
    return stage.arrive();
  },
  'all is well': answerWith(undefined),
  'not yet': answerWith({ json: notYet }),
  none: answerWith(noneAtAll),
  'no network': answerWith('away'),
  offline: () => {
    connection.isReachable = false;
  },
  online: () => {
    connection.isReachable = true;
  },
  recovered: () => recovered.emit(),
  leave: () => leaveFeed(),
  return: () => returnToFeed(),
  hide: (stage) => stage.screen.hide(true),
  see: (stage) => stage.screen.hide(false),
};

const quadrant = fc.constantFrom(...quadrants);
const plan = fc.array(fc.tuple(fc.constantFrom(...Object.keys(acts)), quadrant, quadrant), { maxLength: 50 });

/** The id that is on its way to the screen, or else the one on it, which has not moved elsewhere. */
function claimedBy(name: Quadrant): string | undefined {
  const { activity, shown, isGivenAway } = feed.quadrants[name];
  return (comingOf({ activity }) ?? (isGivenAway ? null : shown))?.id;
}

const claimed = () => quadrants.flatMap((name) => claimedBy(name) ?? []);
const prepared = () => quadrants.flatMap((name) => feed.quadrants[name].next?.id ?? []);

/** There are videos for all as long as few of them are broken. */
function expectNoVideoTwice(): void {
  if (feed.broken.length > maxBroken) return;
  const all = [...claimed(), ...prepared()];
  expect(new Set(all).size).toBe(all.length);
}

/** What was drawn or prepared by another filter is not brought to the screen, but for what was pinned before. */
function expectFiltersObeyed(): void {
  for (const name of quadrants) {
    const { activity, filter, isFilterPending, next, pinned, shown } = feed.quadrants[name];
    if (filter === null) continue;
    const coming = isFilterPending && pinned ? null : comingOf({ activity });
    const videos = [coming, next, isFilterPending ? null : shown].flatMap((video) => video ?? []);
    const unfiltered = videos.filter(({ id, tagIds }) => !movedTo[name].has(id) && !tagIds.includes('red'));
    expect(unfiltered).toEqual([]);
  }
}

function expectOneActivity(stage: FeedStage): void {
  for (const name of quadrants) {
    const { activity, next } = feed.quadrants[name];
    const open = stage.library.asksOf(name).filter(({ isOpen }) => isOpen());
    expect(open).toHaveLength(activity.kind === 'asking' ? 1 : 0);
    if (activity.kind === 'coming') expect(next).toBeNull();
    if (activity.kind === 'waiting') expect(activity.until !== null).toBe(isFeedSeen());
  }
}

/** Not on screen, not on its way, and not where a skip back leads. */
function expectNothingHidden(stage: FeedStage): void {
  for (const name of quadrants) {
    const { shown, next, pinned, past } = feed.quadrants[name];
    const known = [shown, comingOf(feed.quadrants[name]), next, pinned?.video, ...past];
    expect(known.flatMap((video) => (video && hidden.has(video.id) ? video.id : []))).toEqual([]);
    expect(isHiddenSource(stage.screen.layer(name, 'front').src)).toBe(false);
  }
}

/** What has just left lies beneath the front for a moment; then no element has it. */
function expectNoHiddenSource(stage: FeedStage): void {
  expect(stage.screen.sources().filter(isHiddenSource)).toEqual([]);
}

function isHiddenSource(source: string): boolean {
  return hidden.has(source.split('?')[0]?.split('/').pop() ?? '');
}

/** What was pinned before and is still is the same video, unless it changed places. */
function watchPins(): () => void {
  const before = quadrants.map((name) => [name, feed.quadrants[name].pinned?.video.id] as const);
  return () => {
    for (const [name, id] of before) {
      const { pinned } = feed.quadrants[name];
      if (id === undefined || !pinned) continue;
      expect(pinned.video.id).toBe(id);
      expect([undefined, id]).toContain(claimedBy(name));
    }
  };
}

/** What is counted while it plays is counted for the video that the quadrant shows. */
function expectMeasuredVideos(): void {
  for (const name of quadrants) {
    const { isPlaying, videoId } = playerOf(name).metrics();
    if (isPlaying) expect(videoId).toBe(feed.quadrants[name].shown?.id);
  }
}

async function perform(stage: FeedStage, [name, here, there]: [string, Quadrant, Quadrant]): Promise<void> {
  const shownBefore = quadrants.map((one) => [one, feed.quadrants[one].shown?.id] as const);
  const expectPinsHeld = watchPins();
  await acts[name]?.(stage, here, there);
  await stage.arrive();
  expectNoVideoTwice();
  expectOneActivity(stage);
  expectFiltersObeyed();
  if (name !== 'move') expectPinsHeld();
  expectNothingHidden(stage);
  expectMeasuredVideos();
  for (const [one, id] of shownBefore)
    if (id !== undefined && !hidden.has(id)) expect(feed.quadrants[one].shown).not.toBeNull();
}

/** Whatever happened: with a network and somebody who looks, each quadrant comes to a video and to rest. */
async function expectRest(stage: FeedStage): Promise<void> {
  connection.isReachable = true;
  stage.library.answer = null;
  stage.library.letGo();
  stage.screen.hide(false);
  returnToFeed();
  for (let rounds = 0; rounds < 4; rounds += 1) {
    await stage.seconds(5);
    for (const name of quadrants) preparing(stage, name)?.showNow();
    stage.screen.settle();
  }
  for (const name of quadrants) {
    expect(feed.quadrants[name].shown).not.toBeNull();
    expect(comingOf(feed.quadrants[name])).toBeNull();
  }
}

// A file that is loaded in the middle of a run takes real time.
beforeAll(() => import('#app/features/feed/supply/cached-lists.ts'));

test("whatever happens to four quadrants, none loses its video, shows another one's or a hidden one, a pin and a filter hold, and nothing is left over", async () => {
  await fc.assert(
    fc.asyncProperty(plan, async (steps) => {
      const stage = new FeedStage();
      hidden.clear();
      stage.library.taggings = Object.fromEntries([...'cdefghijklmnop'].map((id) => [id, ['red']]));
      for (const name of quadrants) movedTo[name].clear();
      try {
        await stage.play();
        for (const step of steps) await perform(stage, step);
        await expectRest(stage);
        expectNoHiddenSource(stage);
        resetFeed();
        expect(stage.library.asks.filter(({ isOpen }) => isOpen())).toEqual([]);
        expect(stage.screen.sources()).toEqual([]);
      } finally {
        stage.library.letGo();
        stage.end();
      }
    }),
    { numRuns: 100 },
  );
});
