import { describe, expect, test } from 'vitest';
import type {
  Effect,
  QuadrantActivity,
  QuadrantEvent,
  QuadrantState,
  WaitReason,
} from '#app/features/feed/quadrant/quadrant.ts';
import { initialQuadrant } from '#app/features/feed/quadrant/quadrant.ts';
import { reduceQuadrant } from '#app/features/feed/quadrant/quadrant-reducer.ts';
import type { Processing } from '#contract/entities/video.ts';
import { feedVideo } from '../feed-video.ts';

const now = 1_000_000;

const settled: QuadrantActivity = { kind: 'settled' };
const asking = (after: WaitReason | null = null): QuadrantActivity => ({ kind: 'asking', for: 'screen', after });
const askingForLater: QuadrantActivity = { kind: 'asking', for: 'later' };
const waiting = (reason: WaitReason, seconds: number | null): QuadrantActivity => ({
  kind: 'waiting',
  for: 'screen',
  reason,
  until: seconds && now + seconds * 1000,
});
const coming = (id: string, at = 0, back = false): QuadrantActivity => ({
  kind: 'coming',
  video: feedVideo(id),
  at,
  back,
});

/** One that shows `old` while the feed is on screen. */
const showing = (state: Partial<QuadrantState> = {}): QuadrantState => ({
  ...initialQuadrant(),
  isSeen: true,
  shown: feedVideo('old'),
  ...state,
});

interface Outcome {
  state: QuadrantState;
  effects: readonly Effect[];
  did: string[];
}

function outcomeOf(state: QuadrantState, ...events: QuadrantEvent[]): Outcome {
  const effects: Effect[] = [];
  const last = events.reduce((before, event) => {
    const [next, caused] = reduceQuadrant(before, event, now);
    effects.push(...caused);
    return next;
  }, state);
  return { state: last, effects, did: effects.map(({ type }) => type) };
}

const notAvailable = (reason: string, processing: Processing | null): QuadrantEvent => ({
  type: 'not-available',
  reason,
  processing,
});
const failed = (at = 0): QuadrantEvent => ({ type: 'failed', error: 'decode', at });

describe('Pinning stops auto-advance, loops the video and disables skip and skip-back. Unpinning resumes switching.', () => {
  const pinned = outcomeOf(showing({ next: feedVideo('next') }), { type: 'pin', at: 7, hasFailed: false }).state;

  test('a pin drops what was to follow, and loops', () => {
    const outcome = outcomeOf(showing({ next: feedVideo('next'), activity: coming('new') }), {
      type: 'pin',
      at: 7,
      hasFailed: false,
    });
    expect(outcome.state).toMatchObject({ activity: settled, next: null, pinned: { video: { id: 'old' } } });
    expect(outcome.did).toEqual(['stop', 'cancel', 'drop-next', 'loop']);
  });

  test.each<QuadrantEvent>([
    { type: 'interval-passed' },
    { type: 'ended' },
    { type: 'skip' },
    { type: 'skip-back', video: feedVideo('past'), at: 0 },
    { type: 'prepare-next' },
  ])('a pinned quadrant ignores $type', (event) => {
    expect(outcomeOf(pinned, event)).toMatchObject({ state: pinned, effects: [] });
  });

  test('an unpinned quadrant has a full interval, and prepares its next video', () => {
    expect(outcomeOf(pinned, { type: 'unpin' })).toMatchObject({
      state: { pinned: null },
      did: ['loop', 'restart-interval', 'consider-next'],
    });
  });

  test('a video that moved here and is not on screen yet is the one that is pinned', () => {
    const moved = outcomeOf(showing(), { type: 'place', video: feedVideo('moved'), at: 12, isPinned: false }).state;
    expect(outcomeOf(moved, { type: 'pin', at: 3, hasFailed: false }).state).toMatchObject({
      activity: coming('moved', 12),
      pinned: { video: { id: 'moved' } },
    });
  });

  test('a video that moved away is not pinned where it is still shown', () => {
    const left = outcomeOf(
      showing(),
      { type: 'place', video: feedVideo('moved'), at: 12, isPinned: false },
      { type: 'skip' },
    ).state;
    expect(outcomeOf(left, { type: 'pin', at: 3, hasFailed: false }).state).toEqual(left);
  });
});

describe('A new video loads after the switch interval, on video end, or on skip', () => {
  const causes: QuadrantEvent[] = [{ type: 'interval-passed' }, { type: 'ended' }, { type: 'skip' }];

  test.each(causes)('$type asks for one', (event) => {
    expect(outcomeOf(showing(), event)).toMatchObject({ state: { activity: asking() }, did: ['cancel', 'ask'] });
  });

  test.each(causes)('$type shows the prepared one', (event) => {
    const outcome = outcomeOf(showing({ next: feedVideo('next') }), event);
    expect(outcome).toMatchObject({
      state: { activity: coming('next'), next: null },
      did: ['cancel', 'stop', 'show-next'],
    });
  });

  test.each(causes)('$type takes the open call for the screen', (event) => {
    expect(outcomeOf(showing({ activity: askingForLater }), event)).toMatchObject({
      state: { activity: asking() },
      effects: [],
    });
  });

  test.each([asking(), waiting('no-videos', 5), coming('new')])(
    'interval and end leave alone what is under way to the screen: %o',
    (activity) => {
      const state = showing({ activity });
      expect(outcomeOf(state, { type: 'interval-passed' }, { type: 'ended' })).toMatchObject({ state, effects: [] });
    },
  );

  test('a skip gives up what is under way to the screen', () => {
    expect(outcomeOf(showing({ activity: coming('new') }), { type: 'skip' })).toMatchObject({
      state: { activity: asking() },
      did: ['cancel', 'ask'],
    });
  });

  test('its first frame puts the video on screen, and the last one into the past', () => {
    const outcome = outcomeOf(
      showing(),
      { type: 'skip' },
      { type: 'given', video: feedVideo('new'), at: 4 },
      { type: 'shown' },
    );
    expect(outcome.state).toMatchObject({
      activity: settled,
      shown: { id: 'new' },
      past: [{ id: 'old' }],
      recent: ['new'],
    });
    expect(outcome.did).toEqual(['cancel', 'ask', 'prepare', 'watched', 'restart-interval']);
  });

  test('after a skip back the video that was left is the next one', () => {
    const outcome = outcomeOf(
      showing({ past: [feedVideo('past')] }),
      { type: 'skip-back', video: feedVideo('past'), at: 0 },
      { type: 'shown' },
    );
    expect(outcome.state).toMatchObject({ shown: { id: 'past' }, next: { id: 'old' }, past: [] });
  });
});

describe("A video error shows 'Video error - loading next...' and loads the next one after 2 s", () => {
  test('it says so, and avoids the broken video', () => {
    const { state, effects } = outcomeOf(showing({ activity: coming('new') }), failed());
    expect(state).toMatchObject({ activity: waiting('video-error', 2), recent: ['new'], shown: { id: 'old' } });
    expect(effects).toEqual([
      { type: 'avoid', video: feedVideo('new') },
      { type: 'wait', ms: 2000 },
    ]);
  });

  test('then the next one loads', () => {
    expect(outcomeOf(showing(), failed(), { type: 'wait-over' }).state.activity).toEqual(asking());
    expect(outcomeOf(showing({ next: feedVideo('next') }), failed(), { type: 'wait-over' }).state.activity).toEqual(
      coming('next'),
    );
  });

  test('a network error is not the fault of the video', () => {
    expect(outcomeOf(showing(), { type: 'failed', error: 'network', at: 0 }).did).toEqual(['wait']);
  });

  test('a prepared video that breaks is replaced without a word', () => {
    const outcome = outcomeOf(showing({ next: feedVideo('next') }), { type: 'next-failed', error: 'decode' });
    expect(outcome.state).toMatchObject({ next: null, activity: { kind: 'waiting', for: 'later', until: now + 2000 } });
  });

  test('a pinned one is loaded again where it broke, and the third failure unpins', () => {
    const pin: QuadrantEvent = { type: 'pin', at: 0, hasFailed: false };
    const retried = outcomeOf(showing(), pin, failed(30), { type: 'wait-over' });
    expect(retried.state.activity).toEqual(coming('old', 30));
    const third = outcomeOf(retried.state, failed(30), { type: 'wait-over' }, failed(30));
    expect(third.state).toMatchObject({ pinned: null, activity: waiting('video-error', 2) });
    expect(third.did.slice(-4)).toEqual(['loop', 'restart-interval', 'avoid', 'wait']);
  });
});

describe('A video that is not available yet, and any other load error, is retried after 5 s', () => {
  const answers: Array<[QuadrantEvent, WaitReason]> = [
    [notAvailable('On its way', { state: 'queued', progress: 0 }), 'downloading'],
    [notAvailable('On its way', { state: 'running', progress: 40 }), 'downloading'],
    [notAvailable('It is damaged.', { state: 'failed', progress: 40 }), 'not-playable'],
    [notAvailable('This device cannot play it.', null), 'not-playable'],
    [{ type: 'not-given', failure: 'no-videos' }, 'no-videos'],
    [{ type: 'not-given', failure: 'not-loaded' }, 'not-loaded'],
    [{ type: 'not-given', failure: 'no-network' }, 'no-network'],
    [{ type: 'not-given', failure: 'no-data' }, 'no-data'],
  ];

  test.each(answers)('after %o', (event, reason) => {
    const outcome = outcomeOf(showing({ activity: asking() }), event);
    expect(outcome).toMatchObject({ state: { activity: waiting(reason, 5) }, effects: [{ type: 'wait', ms: 5000 }] });
    expect(outcomeOf(outcome.state, { type: 'wait-over' }).state.activity).toEqual(asking(reason));
  });

  test.each(answers)('the viewer hears nothing of what was asked for later: %o', (event) => {
    const { state } = outcomeOf(showing({ activity: askingForLater }), event);
    expect(state.activity).toMatchObject({ kind: 'waiting', for: 'later' });
    expect(outcomeOf(state, { type: 'wait-over' })).toMatchObject({
      state: { activity: settled },
      did: ['stop', 'consider-next'],
    });
  });

  test('the last reason and progress stand while it is asked again, until there is another answer', () => {
    const late = notAvailable('On its way', { state: 'running', progress: 40 });
    const { state } = outcomeOf(showing({ activity: asking() }), late, { type: 'wait-over' });
    expect(state.delay).toEqual({ reason: 'On its way', processing: { state: 'running', progress: 40 } });
    expect(outcomeOf(state, notAvailable('Too large', null)).state.delay).toEqual({
      reason: 'Too large',
      processing: null,
    });
    expect(outcomeOf(state, { type: 'not-given', failure: 'no-videos' }).state.delay).toBeNull();
    expect(outcomeOf(state, { type: 'given', video: feedVideo('new'), at: 0 }).state.delay).toBeNull();
  });

  test('of what was asked for later no reason is kept', () => {
    const outcome = outcomeOf(showing({ activity: askingForLater }), notAvailable('On its way', null));
    expect(outcome.state.delay).toBeNull();
  });

  test('a closed gate is not asked again', () => {
    expect(outcomeOf(showing({ activity: asking() }), { type: 'refused' })).toMatchObject({
      state: { activity: settled },
      effects: [],
    });
  });
});

describe('Out of sight nothing is asked or waited for', () => {
  test.each([
    [asking(), waiting('out-of-sight', null), asking()],
    [asking('no-videos'), waiting('no-videos', null), asking('no-videos')],
    [waiting('downloading', 5), waiting('downloading', null), asking('downloading')],
    [askingForLater, settled, settled],
    [coming('new'), coming('new'), coming('new')],
  ])('%o', (before, hidden, back) => {
    const outcome = outcomeOf(showing({ activity: before }), { type: 'unseen' });
    expect(outcome.state.activity).toEqual(hidden);
    expect(outcomeOf(outcome.state, { type: 'seen' }).state.activity).toEqual(back);
  });

  test.each([[{ type: 'interval-passed' }], [{ type: 'ended' }], [{ type: 'skip' }]] as const)(
    '%o asks when the quadrant is seen again',
    (event) => {
      const hidden = outcomeOf(showing(), { type: 'unseen' }, event);
      expect(hidden.state.activity).toEqual(waiting('out-of-sight', null));
      expect(hidden.effects).not.toContainEqual({ type: 'ask' });
      // An address that is still asked for would be taken for the video on screen.
      expect(hidden.effects).toContainEqual({ type: 'stop' });
      const back = outcomeOf(hidden.state, { type: 'seen' });
      expect([back.state.activity, back.effects]).toEqual([asking(), [{ type: 'ask' }]]);
    },
  );

  test('a quadrant without a video asks for one when the feed is seen', () => {
    expect(outcomeOf(initialQuadrant(), { type: 'seen' }).state.activity).toEqual(asking());
  });
});

describe('A video that moves to another quadrant', () => {
  const place = (isPinned: boolean): QuadrantEvent => ({ type: 'place', video: feedVideo('moved'), at: 12, isPinned });

  test('that is pinned and breaks before it is on screen is loaded again in its new quadrant', () => {
    const { state } = outcomeOf(showing(), place(true), failed(3), { type: 'wait-over' });
    expect(state).toMatchObject({ activity: coming('moved', 12), pinned: { video: { id: 'moved' }, failures: 1 } });
  });

  test('is not prepared where it was, when a skip back goes on from there', () => {
    const back: QuadrantEvent = { type: 'skip-back', video: feedVideo('past'), at: 0 };
    const { state } = outcomeOf(showing({ past: [feedVideo('past')] }), place(false), back, { type: 'shown' });
    expect(state).toMatchObject({ shown: { id: 'past' }, next: null, isGivenAway: false });
  });
});

describe('A video that an administrator hides leaves at once', () => {
  const hidden = (...ids: string[]): QuadrantEvent => ({ type: 'hidden', ids });

  test('the screen, and the prepared one follows', () => {
    const outcome = outcomeOf(showing({ next: feedVideo('next') }), hidden('old'));
    expect(outcome.state).toMatchObject({ shown: null, next: null, activity: coming('next') });
    expect(outcome.did).toEqual(['clear', 'cancel', 'stop', 'show-next']);
  });

  test('the screen, and another one is asked for where none is prepared', () => {
    expect(outcomeOf(showing(), hidden('old'))).toMatchObject({
      state: { shown: null, activity: asking() },
      did: ['clear', 'cancel', 'ask'],
    });
    expect(outcomeOf(showing({ activity: askingForLater }), hidden('old')).state.activity).toEqual(asking());
  });

  test('a pinned quadrant, with its pin', () => {
    const pinned = { video: feedVideo('old'), failures: 0, at: 3 };
    const outcome = outcomeOf(showing({ pinned }), hidden('old'));
    expect(outcome.state).toMatchObject({ shown: null, pinned: null, activity: asking() });
    expect(outcome.did).toEqual(['loop', 'restart-interval', 'clear', 'cancel', 'ask']);
  });

  test('a pinned one that broke is not loaded again', () => {
    const pinned = { video: feedVideo('old'), failures: 1, at: 3 };
    const { state } = outcomeOf(showing({ pinned, activity: waiting('video-error', 2) }), hidden('old'), {
      type: 'wait-over',
    });
    expect(state).toMatchObject({ shown: null, pinned: null, activity: asking() });
  });

  test('what is prepared, which another one replaces', () => {
    expect(outcomeOf(showing({ next: feedVideo('next') }), hidden('next'))).toMatchObject({
      state: { shown: { id: 'old' }, next: null, activity: settled },
      did: ['drop-next', 'consider-next'],
    });
  });

  test('what is on its way, also out of sight', () => {
    const before = showing({ activity: coming('new') });
    expect(outcomeOf(before, hidden('new'))).toMatchObject({
      state: { shown: { id: 'old' }, activity: asking() },
      did: ['cancel', 'ask'],
    });
    expect(outcomeOf({ ...before, isSeen: false }, hidden('new'))).toMatchObject({
      state: { shown: { id: 'old' }, activity: settled },
      did: ['cancel'],
    });
  });

  test('a hidden feed, which asks for another one when it is seen', () => {
    const { state, did } = outcomeOf(showing({ isSeen: false }), hidden('old'));
    expect(did).toEqual(['clear', 'cancel']);
    expect(outcomeOf(state, { type: 'seen' }).state.activity).toEqual(asking());
  });

  test('the past, where a skip back would lead', () => {
    const past = [feedVideo('a'), feedVideo('b'), feedVideo('c')];
    expect(outcomeOf(showing({ past }), hidden('b')).state.past).toEqual([feedVideo('a'), feedVideo('c')]);
  });

  test('what was left behind by a move, while the video that moved here is on its way', () => {
    const { state, did } = outcomeOf(
      showing(),
      { type: 'place', video: feedVideo('moved'), at: 12, isPinned: false },
      hidden('old'),
    );
    expect(state).toMatchObject({ shown: null, isGivenAway: false, activity: coming('moved', 12) });
    expect(did.slice(-2)).toEqual(['clear', 'consider-next']);
  });

  test('and nothing else does', () => {
    const before = showing({ next: feedVideo('next'), past: [feedVideo('a')] });
    expect(outcomeOf(before, hidden('other'))).toMatchObject({ state: before, did: ['consider-next'] });
  });
});
