import { act } from 'react';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { controls, enterControls, hideControls } from '#app/features/feed/controls/controls-store.ts';
import { FeedScreen } from '#app/features/feed/feed-screen.tsx';
import { feed } from '#app/features/feed/feed-state.ts';
import { openFeed, resetFeed, startAll } from '#app/features/feed/feed-store.ts';
import { comingOf } from '#app/features/feed/quadrant/quadrant.ts';
import { quadrantGestures } from '#app/features/feed/quadrant/quadrant-gestures.tsx';
import { playerFacts } from '#app/playback/player/player.ts';
import { navigation, resetNavigation } from '#app/state/navigation.ts';
import { applyFilter, clearFilters } from '#app/state/quadrant-filters.ts';
import { resetSession, session } from '#app/state/session.ts';
import { changeSettings } from '#app/state/settings.ts';
import { resetStatus } from '#app/state/status.ts';
import { claimBlocklistVisit } from '#app/state/view-requests.ts';
import type { Processing } from '#contract/entities/video.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { channel, FakeLibrary, noneAtAll, notYet } from '#tests/unit/app/feed/fake-library.ts';
import { feedVideo } from '#tests/unit/app/feed/feed-video.ts';
import { person } from '#tests/unit/app/state/people.ts';
import { draw, press, settle } from '../../draw.tsx';
import { layOut } from '../../laid-out.ts';

let library: FakeLibrary;

beforeEach(() => {
  vi.useFakeTimers();
  library = new FakeLibrary('a', 'b', 'c', 'd', 'e', 'f');
});

afterEach(async () => {
  await settle(() => {
    hideControls();
    resetFeed();
  });
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function drawFeed({ isStarted = true } = {}): Promise<void> {
  openFeed();
  if (isStarted) startAll();
  await draw(<FeedScreen />);
  await pass(0);
  await load();
}

/** What the feed loads on demand has come. */
const load = async () => {
  await act(() => vi.dynamicImportSettled());
  await pass(0);
};

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

function quadrant(name: Quadrant): HTMLElement {
  return document.querySelector(`[data-quadrant=${name}]`) as HTMLElement;
}

function shows(name: Quadrant, title: string): void {
  feed.quadrants[name].shown = feedVideo('v', { title });
  Object.assign(playerFacts[name], { hasFrame: true, isPreparing: false, isPaused: false });
}

function control(name: Quadrant, label: string): HTMLButtonElement {
  return quadrant(name).querySelector(`button[aria-label="${label}"]`) as HTMLButtonElement;
}

const pressKey = (target: Element, key: string) =>
  settle(() => target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })));

test('nothing of the controls is drawn before the first frames', async () => {
  controls.areDue = false;
  await drawFeed();
  expect(document.querySelector('[aria-label="Seek"]')).toBeNull();
  await settle(() => quadrants.forEach((name) => void shows(name, 'pier.mp4')));
  await load();
  expect(document.querySelectorAll('[aria-label="Seek"]')).toHaveLength(4);
});

test('OK leads among the controls as soon as they are there', async () => {
  layOut();
  controls.areDue = false;
  await drawFeed();
  await settle(() => quadrant('top-left').focus());
  await settle(() => enterControls('top-left'));
  await load();
  expect(document.activeElement).toBe(control('top-left', 'Skip'));
  vi.restoreAllMocks();
});

test('a viewer is asked for one tap, on a button that fills the screen and has the focus', async () => {
  await drawFeed({ isStarted: false });
  expect(document.activeElement?.textContent).toBe('Tap anywhere to play all videos');
});

test('a quadrant shows its poster, which says nothing to a screen reader, until a frame is there', async () => {
  await drawFeed({ isStarted: false });
  await pass(250);
  const poster = () => quadrant('top-left').querySelector('img');
  expect([poster()?.getAttribute('src'), poster()?.alt]).toEqual([
    `/posters/${comingOf(feed.quadrants['top-left'])?.id}`,
    '',
  ]);
  await settle(() => shows('top-left', 'a.mp4'));
  expect(poster()).toBeNull();
});

test('the tap starts the feed and takes the overlay away', async () => {
  await drawFeed({ isStarted: false });
  await press('Tap anywhere to play all videos');
  expect(feed.isStarted).toBe(true);
  expect(document.body.textContent).not.toContain('Tap anywhere');
});

test('before the start nothing else can have the focus, not even the statistics', async () => {
  changeSettings({ areStatisticsShown: true });
  onTestFinished(() => void changeSettings({ areStatisticsShown: false }));
  await drawFeed({ isStarted: false });
  const outside = [...document.querySelectorAll('button')].filter((button) => !button.closest('[data-quadrant]'));
  expect(outside.map(({ textContent }) => textContent)).toEqual(['Tap anywhere to play all videos']);
  expect(document.body.textContent).toContain('Quadrant Details');
  await press('Tap anywhere to play all videos');
  await load();
  expect(document.body.textContent).toContain('Pause all');
});

test('a quadrant is out of the tab order until the feed has started', async () => {
  await drawFeed({ isStarted: false });
  expect(quadrant('top-left').tabIndex).toBe(-1);
  await settle(startAll);
  expect(quadrant('top-left').tabIndex).toBe(0);
});

test('the four quadrants are named by their position', async () => {
  await drawFeed();
  const names = [...document.querySelectorAll('section')].map((section) => section.getAttribute('aria-label'));
  expect(names).toEqual(['Top left', 'Top right', 'Bottom left', 'Bottom right']);
});

test('each quadrant holds two silent inline videos without controls', async () => {
  await drawFeed();
  const videos = [...quadrant('top-left').querySelectorAll('video')];
  expect(
    videos.map((video) => [video.dataset.layer, video.muted, video.hasAttribute('playsinline'), video.controls]),
  ).toEqual([
    ['back', true, true, false],
    ['front', true, true, false],
  ]);
});

test('an empty library is told in three lines, in each quadrant', async () => {
  library.videos = [];
  await drawFeed();
  for (const name of quadrants) {
    const words = quadrant(name).textContent;
    expect(words).toContain('No videos yet');
    expect(words).toContain('Upload your first video to get started with your feed!');
    expect(words).toContain('Use the Upload page from the menu');
  }
});

describe('where nothing is left of the library for somebody with a blocklist', () => {
  beforeEach(() => {
    const settings = {
      skip_duration_seconds: 60,
      blocked_tag_ids: ['b'],
      shortcut_keys: true,
      subtitle_language: null,
      shuffle: 'once' as const,
    };
    Object.assign(session, { phase: 'known', user: person('basic', { settings }) });
    library.answer = () => noneAtAll;
  });

  afterEach(async () => {
    await settle(() => {
      clearFilters();
      resetNavigation();
      resetSession();
      resetStatus();
    });
  });

  test('the three lines are followed by the way to the blocklist', async () => {
    await drawFeed();
    const words = quadrant('top-left').textContent;
    expect(words).toMatch(/^.*No videos yet.*Use the Upload page from the menuChange blocklist/);
    expect(words).not.toContain('Clear filter');
    await settle(() => quadrant('top-left').querySelector<HTMLButtonElement>('[role="status"] button')?.click());
    expect([navigation.view, claimBlocklistVisit(), claimBlocklistVisit()]).toEqual(['profile', true, false]);
  });

  test('a filter is cleared first', async () => {
    await drawFeed();
    await settle(() => applyFilter('top-left', { tagIds: ['a'], mode: 'OR' }));
    await load();
    expect(quadrant('top-left').textContent).toContain('Clear filter');
    expect(quadrant('top-left').textContent).not.toContain('Change blocklist');
    expect(quadrant('top-right').textContent).toContain('Change blocklist');
  });

  test('an empty library is no matter of the blocklist', async () => {
    library.videos = [];
    await drawFeed();
    expect(quadrant('top-left').textContent).toContain('No videos yet');
    expect(quadrant('top-left').textContent).not.toContain('Change blocklist');
  });
});

test('nobody is asked to play an empty library; once a video comes, the tap is asked for', async () => {
  library.videos = [];
  await drawFeed({ isStarted: false });
  expect(document.body.textContent).not.toContain('Tap anywhere');
  library.videos = ['a'];
  await pass(5_000);
  expect(document.activeElement?.textContent).toBe('Tap anywhere to play all videos');
});

test('what a quadrant waits for is told politely', async () => {
  await drawFeed();
  expect(quadrant('top-left').querySelector('[role=status]')?.textContent).toBe('Preparing video...');
  expect(quadrant('top-left').dataset.phase).toBe('preparing');
});

test('a browser that wants a tap is given one by a button in the quadrant', async () => {
  await drawFeed();
  await settle(() => Object.assign(playerFacts['top-right'], { isBlocked: true }));
  expect(quadrant('top-right').dataset.message).toBe('tap');
  await press('Tap to play');
  expect(playerFacts['top-right'].isBlocked).toBe(false);
});

test('the filename of a video that starts is shown, and read out when the quadrant gets the focus', async () => {
  await drawFeed();
  await settle(() => shows('top-left', 'north-pier-last-light.mp4'));
  const description = quadrant('top-left').getAttribute('aria-describedby');
  expect(document.getElementById(description ?? '')?.textContent).toBe('north-pier-last-light.mp4');
  expect(quadrant('top-left').querySelectorAll('p')[0]?.textContent).toBe('north-pier-last-light.mp4');
  expect(quadrant('top-left').dataset.videoId).toBe('v');
});

test('a mouse that moves in a quadrant wakes its controls, and rest hides them', async () => {
  await drawFeed();
  await settle(() =>
    quadrant('bottom-left').dispatchEvent(new PointerEvent('pointermove', { pointerType: 'mouse', bubbles: true })),
  );
  expect(quadrant('bottom-left').dataset.active).toBe('true');
  await pass(2_500);
  expect(quadrant('bottom-left').dataset.active).toBe('false');
});

test('the focus wakes the controls, and returns from them to the quadrant when they hide', async () => {
  await drawFeed();
  await settle(() => quadrant('top-left').focus());
  expect(quadrant('top-left').dataset.active).toBe('true');
  await settle(() => quadrant('top-left').querySelector('button')?.focus());
  await pass(5_000);
  expect(document.activeElement).toBe(quadrant('top-left'));
  expect(quadrant('top-left').dataset.active).toBe('false');
});

test('the skip button asks for another video for its quadrant alone', async () => {
  await drawFeed();
  const asked = library.asks.length;
  await settle(() => control('bottom-right', 'Skip').click());
  expect(library.asks.slice(asked).map((ask) => ask.quadrant)).toEqual(['bottom-right']);
});

test("the remote's next key skips the quadrant that has the focus", async () => {
  await drawFeed();
  await settle(() => quadrant('top-right').focus());
  const asked = library.asks.length;
  await pressKey(quadrant('top-right'), 'MediaTrackNext');
  expect(library.asks.slice(asked).map((ask) => ask.quadrant)).toEqual(['top-right']);
});

test('a filename of any script stands apart from the words around it', async () => {
  await drawFeed();
  await settle(() => shows('top-left', 'فيديو.mp4'));
  const apart = [...quadrant('top-left').querySelectorAll('bdi')].map(({ textContent }) => textContent);
  expect(apart).toContain('فيديو.mp4');
  expect(quadrant('top-left').textContent?.split('فيديو.mp4')).toHaveLength(apart.length + 1);
});

describe('where no video can be played yet', () => {
  const message = () => quadrant('top-left').querySelector('[role="status"]');
  const bar = () => message()?.querySelector('[role="progressbar"]');
  const answerWith = (processing: Processing | null, reason = 'On its way') => {
    library.answer = () => ({ json: { ...notYet, message: reason, processing } });
  };

  test('the message says how far the first one is: without a figure while it waits, then with one', async () => {
    answerWith({ state: 'queued', progress: 0 });
    await drawFeed();
    await load();
    expect(message()?.textContent).toBe('Downloading video...');
    expect([bar()?.getAttribute('aria-label'), bar()?.hasAttribute('aria-valuenow')]).toEqual([
      'Downloading video...',
      false,
    ]);
    answerWith({ state: 'running', progress: 41.6 });
    await pass(5_000);
    expect(message()?.textContent).toBe('Downloading video...42 %');
    expect(bar()?.getAttribute('aria-valuenow')).toBe('42');
    library.answer = null;
    await pass(5_000);
    expect(message()?.textContent).toBe('Preparing video...');
  });

  test('each percent is seen, and not announced', async () => {
    answerWith({ state: 'running', progress: 10 });
    await drawFeed();
    await load();
    const silent = [...(message()?.querySelectorAll('[aria-live="off"]') ?? [])];
    expect(silent.map(({ textContent }) => textContent)).toEqual(['10 %']);
    expect(silent[0]?.querySelector('[aria-hidden="true"]')?.textContent).toBe('10 %');
  });

  test('nothing of the message changes while it is asked again', async () => {
    answerWith({ state: 'running', progress: 10 });
    await drawFeed();
    await load();
    const before = message()?.innerHTML;
    const shown = message()?.firstElementChild;
    library.hold();
    await pass(5_000);
    expect(library.asksOf('top-left').some((ask) => ask.isOpen())).toBe(true);
    expect(message()?.innerHTML).toBe(before);
    library.letGo();
    await pass(0);
    expect([message()?.innerHTML, message()?.firstElementChild === shown]).toEqual([before, true]);
  });

  test('and none will be, it says why at once, as an error, and asks again every 5 s', async () => {
    answerWith(null, 'This device cannot play these videos.');
    await drawFeed();
    expect(message()?.textContent).toBe('This device cannot play these videos.');
    expect([quadrant('top-left').dataset.phase, quadrant('top-left').dataset.message]).toEqual(['failed', 'error']);
    const asked = library.asksOf('top-left').length;
    library.hold();
    await pass(5_000);
    expect(library.asksOf('top-left')).toHaveLength(asked + 1);
    expect(message()?.textContent).toBe('This device cannot play these videos.');
    library.answer = null;
    library.letGo();
    await pass(0);
    expect(message()?.textContent).toBe('Preparing video...');
  });

  test('nobody is asked for a tap that would play nothing, until there is a video', async () => {
    const isAsked = () => document.body.textContent.includes('Tap anywhere to play all videos');
    answerWith({ state: 'running', progress: 90 });
    await drawFeed({ isStarted: false });
    expect(isAsked()).toBe(false);
    answerWith(null, 'This device cannot play these videos.');
    await pass(5_000);
    expect([isAsked(), message()?.textContent]).toEqual([false, 'This device cannot play these videos.']);
    library.answer = ({ quadrant }) => (quadrant === 'top-left' ? undefined : { json: notYet });
    await pass(5_000);
    expect(isAsked()).toBe(true);
  });

  test('because the work on it failed, it says why in place of the progress', async () => {
    answerWith({ state: 'running', progress: 90 });
    await drawFeed();
    await load();
    answerWith({ state: 'failed', progress: 90 }, 'This file is damaged and cannot be read.');
    await pass(5_000);
    expect(message()?.textContent).toBe('This file is damaged and cannot be read.');
    expect(bar()).toBeNull();
  });
});

test('where iOS refuses all four, one message stands over the grid, and one tap plays them', async () => {
  vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue('Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X)');
  await drawFeed();
  await settle(() => quadrants.forEach((name) => void shows(name, 'pier.mp4')));
  const texts = () => document.body.textContent;
  const refuse = (names: readonly Quadrant[]) =>
    settle(() => {
      for (const name of names) playerFacts[name].isBlocked = true;
    });
  await refuse(quadrants.slice(0, 3));
  expect([texts()?.match(/Tap to play/g)?.length, texts()?.includes('Low Power Mode')]).toEqual([3, false]);
  await refuse(quadrants);
  expect([texts()?.includes('Tap to play'), texts()?.includes('Low Power Mode: tap to play')]).toEqual([false, true]);
  await press('Low Power Mode: tap to play');
  expect(quadrants.map((name) => playerFacts[name].isBlocked)).toEqual([false, false, false, false]);
  expect(texts()).not.toContain('Low Power Mode');
  vi.restoreAllMocks();
});

test('OK on controls that have faded shows them and does nothing else; the next one leads among them', async () => {
  layOut();
  await drawFeed();
  await settle(() => quadrants.forEach((name) => void shows(name, 'pier.mp4')));
  await load();
  await settle(() => quadrant('top-left').focus());
  await settle(hideControls);
  const pressOk = async () => {
    await pressKey(quadrant('top-left'), 'Enter');
    await settle(() => quadrant('top-left').dispatchEvent(new KeyboardEvent('keyup', { key: 'Enter', bubbles: true })));
  };
  await pressOk();
  expect([controls.active, controls.entered, document.activeElement]).toEqual(['top-left', null, quadrant('top-left')]);
  await pressOk();
  expect([controls.entered, document.activeElement]).toEqual(['top-left', control('top-left', 'Skip')]);
  vi.restoreAllMocks();
});

test('the first OK starts all four, and arrows go on from a quadrant', async () => {
  layOut();
  await drawFeed({ isStarted: false });
  await press('Tap anywhere to play all videos');
  expect(document.activeElement).toBe(quadrant('top-left'));
  vi.restoreAllMocks();
});

test('while a finger is down its quadrant says where it leads, and what a double tap seeks; after a skip it offers the way back', async () => {
  await drawFeed();
  await settle(() => quadrants.forEach((name) => void shows(name, 'pier.mp4')));
  await settle(() => quadrantGestures['top-left'].onPull?.('left'));
  await load();
  const status = () =>
    [...quadrant('top-left').querySelectorAll('[role=status]')].map((one) => one.textContent).join('');
  expect(status()).toBe('Skip');
  await settle(() => quadrantGestures['top-left'].onPull?.(null));
  expect(status()).toBe('');
  playerFacts['top-left'].durationSeconds = 600;
  for (const [direction, count, words] of [
    [1, 2, '+2 min'],
    [-1, 1, '−1 min'],
  ] as const) {
    await settle(() => quadrantGestures['top-left'].onSteps?.(direction, count, false));
    expect(status()).toBe(words);
    await settle(() => quadrantGestures['top-left'].onSteps?.(direction, count, true));
    expect(status()).toBe('');
  }
  document.documentElement.dataset.input = 'touch';
  await settle(() => quadrantGestures['top-left'].onSwipe?.('left'));
  await press('Undo');
  expect(quadrant('top-left').textContent).not.toContain('Undo');
  document.documentElement.dataset.input = 'key';
});

test('the channel keys of a remote choose a channel for the ringed quadrant, and its name stands there', async () => {
  library.channels = [channel('Aurora')];
  await drawFeed();
  await settle(() => quadrants.forEach((name) => void shows(name, 'pier.mp4')));
  await settle(() => quadrant('bottom-left').focus());
  await pressKey(quadrant('bottom-left'), 'ChannelUp');
  await load();
  await load();
  expect(quadrant('bottom-left').querySelector('p[role=status]')?.textContent).toBe('Aurora');
  await pressKey(quadrant('bottom-left'), 'PageUp');
  await load();
  expect(quadrant('bottom-left').querySelector('p[role=status]')?.textContent).toBe('Aurora');
  document.documentElement.dataset.form = 'tv';
  await pressKey(quadrant('bottom-left'), 'PageUp');
  await load();
  expect(quadrant('bottom-left').querySelector('p[role=status]')?.textContent).toBe('All videos');
  document.documentElement.dataset.form = 'desktop';
});
