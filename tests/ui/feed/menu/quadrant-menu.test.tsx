import { act } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  closeQuadrantMenu,
  controls,
  enterControls,
  hideControls,
  quadrantMenu,
  showControls,
} from '#app/features/feed/controls/controls-store.ts';
import { feed } from '#app/features/feed/feed-state.ts';
import { resetFeed } from '#app/features/feed/feed-store.ts';
import { comingOf } from '#app/features/feed/quadrant/quadrant.ts';
import { backStack } from '#app/platform/input/back-stack.ts';
import { playerOf } from '#app/playback/player/player.ts';
import { Dialogs } from '#app/shell/shell.tsx';
import { closeDialog, navigation } from '#app/state/navigation.ts';
import { resetSession, session } from '#app/state/session.ts';
import { settings } from '#app/state/settings.ts';
import { quadrants } from '#contract/quadrants.ts';
import { featuresByTier } from '#contract/rules/tiers.ts';
import { FakeLibrary } from '#tests/unit/app/feed/fake-library.ts';
import { person } from '#tests/unit/app/state/people.ts';
import { draw, press, settle } from '../../draw.tsx';
import { layOut } from '../../laid-out.ts';
import { drawPlayingFeed } from '../draw-playing-feed.tsx';
import { followMutes } from '../follow-mutes.ts';

let library: FakeLibrary;

beforeEach(async () => {
  vi.useFakeTimers();
  library = new FakeLibrary('a', 'b', 'c', 'd', 'e', 'f');
  await drawPlayingFeed();
});

afterEach(async () => {
  await settle(() => {
    closeQuadrantMenu();
    closeDialog();
    hideControls();
    resetFeed();
  });
  delete document.documentElement.dataset.input;
  delete document.documentElement.dataset.form;
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const entries = () => [...document.querySelectorAll('[role="dialog"] button')].map((one) => one.textContent);

async function openByRightClick(): Promise<void> {
  const picture = document.querySelector('[data-quadrant="top-left"]');
  await settle(() => picture?.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true })));
  // Some of its entries load one after the other.
  for (let part = 0; part < 4; part += 1) {
    await act(() => vi.dynamicImportSettled());
    await settle();
  }
}

test('a right click opens the menu of the quadrant, where the focus starts', async () => {
  await openByRightClick();
  expect(entries()).toEqual([
    'Move to top right',
    'Move to bottom left',
    'Move to bottom right',
    'Expand',
    'Hear only this',
    'Speed: Normal',
    'Subtitles',
    'Details',
    'Add to Favourites',
    'Report',
    'Whole picture',
    'Pause all',
    'Shortcuts',
  ]);
  expect(document.querySelector('[role="dialog"]')?.getAttribute('aria-labelledby')).toBeTruthy();
});

test('what is chosen closes the menu and is done', async () => {
  await openByRightClick();
  await press('Move to bottom right');
  expect(quadrantMenu.of).toBeNull();
  expect(comingOf(feed.quadrants['bottom-right'])?.id).toBe('top-left');
  expect(comingOf(feed.quadrants['top-left'])?.id).toBe('bottom-right');
});

test('the volume is set in the menu, by a slider that keeps left and right for itself', async () => {
  const setVolume = vi.spyOn(playerOf('top-left'), 'setVolume');
  await openByRightClick();
  const slider = document.querySelector<HTMLInputElement>('[role="dialog"] input[aria-label="Volume"]');
  if (!slider) throw new Error('no slider');
  const key = new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true, cancelable: true });
  await settle(() => slider.dispatchEvent(key));
  expect(key.defaultPrevented).toBe(false);
  await settle(() => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(slider, '0.3');
    slider.dispatchEvent(new Event('input', { bubbles: true }));
  });
  expect(setVolume).toHaveBeenCalledWith(0.3);
  expect(quadrantMenu.of).toBe('top-left');
});

test.each([
  ['does not let the page', { userAgent: 'iPhone', features: null }],
  ['belongs to somebody who may not control videos', { userAgent: '', features: { video_controls: false } }],
])('no volume in the menu where the device %s', async (_, { userAgent, features }) => {
  vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue(userAgent);
  await settle(() => Object.assign(session, { features }));
  await openByRightClick();
  expect(document.querySelector('[role="dialog"] input')).toBeNull();
  await settle(() => Object.assign(session, { features: null }));
});

test('all four are paused together, and go on together', async () => {
  await openByRightClick();
  await press('Pause all');
  expect(quadrants.map((quadrant) => feed.quadrants[quadrant].isPaused)).toEqual([true, true, true, true]);
  await openByRightClick();
  await press('Play all');
  expect(quadrants.map((quadrant) => feed.quadrants[quadrant].isPaused)).toEqual([false, false, false, false]);
});

test('one quadrant alone is heard by its menu, and all are muted there while one is heard', async () => {
  const muted = followMutes();
  await openByRightClick();
  expect(entries()).not.toContain('Mute all');
  await press('Hear only this');
  expect(muted()).toEqual([false, true, true, true]);
  await openByRightClick();
  await press('Mute all');
  expect(muted()).toEqual([true, true, true, true]);
});

test('a quadrant plays faster from its menu, where the speed can be read', async () => {
  layOut();
  const setSpeed = vi.spyOn(playerOf('top-left'), 'setSpeed');
  await openByRightClick();
  await press('Speed: Normal');
  expect(entries()).toEqual(['0.5×', '0.75×', 'Normal', '1.25×', '1.5×', '2×']);
  expect(document.activeElement?.textContent).toBe('Normal');
  await press('1.5×');
  expect([quadrantMenu.of, setSpeed.mock.calls]).toEqual([null, [[1.5]]]);
  await openByRightClick();
  expect(entries()).toContain('Speed: 1.5×');
  await press('Speed: 1.5×');
  await settle(() => backStack().goBack());
  expect(document.activeElement?.textContent).toBe('Speed: 1.5×');
});

test.each([
  [
    'a TV',
    () => {
      document.documentElement.dataset.form = 'tv';
    },
  ],
  ['who may not control videos', () => Object.assign(session, { features: { video_controls: false } })],
])('no other speed is offered to %s', async (_, change) => {
  await settle(change);
  await openByRightClick();
  expect(entries().filter((entry) => entry?.startsWith('Speed'))).toEqual([]);
  await settle(() => {
    Object.assign(session, { features: null });
  });
});

test('pictures are shown whole on this device, and fill again', async () => {
  await openByRightClick();
  await press('Whole picture');
  expect(settings.pictureFit).toBe('whole');
  await openByRightClick();
  expect(entries()).not.toContain('Whole picture');
  await press('Fill');
  expect(settings.pictureFit).toBe('fill');
});

test('help with the keys takes the place of the menu', async () => {
  await openByRightClick();
  await press('Shortcuts');
  expect(quadrantMenu.of).toBeNull();
  expect(navigation.dialog).toBe('shortcuts');
});

test('an expanded quadrant has nowhere to move to', async () => {
  await settle(() => Object.assign(feed, { expanded: 'top-left' }));
  await openByRightClick();
  expect(entries()).toEqual([
    'Hear only this',
    'Speed: Normal',
    'Subtitles',
    'Details',
    'Add to Favourites',
    'Report',
    'Whole picture',
    'Pause all',
    'Shortcuts',
  ]);
});

test('a finger that closes the menu leaves the controls for 2.5 s, and a remote for 5 s', async () => {
  layOut();
  for (const [input, restMs] of [
    ['touch', 2_500],
    ['remote', 5_000],
  ] as const) {
    document.documentElement.dataset.input = input;
    await settle(() => {
      showControls('top-left', input === 'touch' ? 'pointer' : 'key');
      document.querySelector<HTMLElement>('[data-quadrant="top-left"] [aria-label="More"]')?.focus();
    });
    await openByRightClick();
    await settle(closeQuadrantMenu);
    await act(() => vi.advanceTimersByTimeAsync(restMs - 1));
    expect(controls.active).toBe('top-left');
    await act(() => vi.advanceTimersByTimeAsync(1));
    expect(controls.active).toBeNull();
  }
});

test.each(['remote', 'pointer', 'touch'])(
  'Back closes the menu alone, also when the input before it was %s: keys go on among the controls',
  async (input) => {
    layOut();
    await settle(() => enterControls('top-left'));
    const more = document.querySelector<HTMLElement>('[data-quadrant="top-left"] [aria-label="More"]');
    await settle(() => more?.focus());
    await openByRightClick();
    document.documentElement.dataset.input = input;
    await settle(() => backStack().goBack());
    expect(quadrantMenu.of).toBeNull();
    expect(controls.entered).toBe('top-left');
    expect(document.activeElement).toBe(more);
  },
);

test('while the menu is open the controls stay, and the keys of the feed rest', async () => {
  await openByRightClick();
  await settle(() =>
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'z', bubbles: true, cancelable: true })),
  );
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect(feed.quadrants['top-left'].pinned).toBeNull();
  expect(controls.active).toBe('top-left');
  await settle(closeQuadrantMenu);
  await act(() => vi.advanceTimersByTimeAsync(2_500));
  expect(controls.active).toBeNull();
});

describe('an administrator hides a video', () => {
  beforeEach(async () => {
    layOut();
    await settle(() => Object.assign(session, { features: featuresByTier.admin }));
    await openByRightClick();
  });

  afterEach(() => settle(() => Object.assign(session, { features: null })));

  const answerHiding = (status: number, json: unknown) => {
    const asked: string[] = [];
    vi.stubGlobal('fetch', async (address: string, { method }: RequestInit) => {
      asked.push(`${method} ${address}`);
      return status === 204 ? new Response(null, { status }) : new Response(JSON.stringify(json), { status });
    });
    return asked;
  };

  async function ask(): Promise<void> {
    await draw(<Dialogs />);
    await press('Hide video');
    await act(() => vi.dynamicImportSettled());
  }

  const question = () => document.querySelector('[role="alertdialog"]');

  test('which is asked first; the quadrant goes on at once', async () => {
    await ask();
    expect(question()?.textContent).toContain(
      'Are you sure you want to hide top-left.mp4? Nobody sees it until an administrator shows it again.',
    );
    expect(document.activeElement?.textContent).toBe('Cancel');
    const asked = answerHiding(204, null);
    await press('Hide video');
    await act(() => vi.advanceTimersByTimeAsync(0));
    expect(asked).toContain('PUT /api/admin/videos/top-left/hidden');
    expect(feed.quadrants['top-left'].shown).toBeNull();
    expect([question(), quadrantMenu.of]).toEqual([null, null]);
  });

  test('which is not done when it was not meant', async () => {
    await ask();
    const asked = answerHiding(204, null);
    await settle(() => backStack().goBack());
    expect([question(), quadrantMenu.of, asked]).toEqual([null, null, []]);
    expect(feed.quadrants['top-left'].shown?.id).toBe('top-left');
  });

  test('which the server may refuse with a sentence', async () => {
    await ask();
    answerHiding(403, { error: 'forbidden', message: 'You are not allowed to do this.' });
    await press('Hide video');
    await act(() => vi.advanceTimersByTimeAsync(0));
    expect(question()?.querySelector('[role="alert"]')?.textContent).toBe('You are not allowed to do this.');
    expect(feed.quadrants['top-left'].shown?.id).toBe('top-left');
  });

  test('but not where none is on screen', async () => {
    await settle(closeQuadrantMenu);
    await settle(() => Object.assign(feed.quadrants['top-left'], { shown: null }));
    await openByRightClick();
    expect(entries()).not.toContain('Hide video');
  });
});

describe('favourites', () => {
  const signIn = () => settle(() => Object.assign(session, { phase: 'known', user: person('basic') }));
  const words = () => document.querySelector('[data-quadrant="top-left"]')?.textContent ?? '';
  const pressH = async () => {
    await settle(() => document.dispatchEvent(new KeyboardEvent('keydown', { key: 'h', bubbles: true })));
    await act(() => vi.dynamicImportSettled());
    await act(() => vi.advanceTimersByTimeAsync(0));
  };

  afterEach(() => settle(resetSession));

  test('are kept by the menu of a quadrant, which then takes the video out again', async () => {
    await signIn();
    await openByRightClick();
    await press('Add to Favourites');
    await act(() => vi.advanceTimersByTimeAsync(0));
    expect(library.favouriteCalls).toEqual(['PUT top-left']);
    expect(words()).toContain('Added to Favourites.');
    await openByRightClick();
    await press('Remove from Favourites');
    await act(() => vi.advanceTimersByTimeAsync(0));
    expect(library.favouriteCalls).toEqual(['PUT top-left', 'DELETE top-left']);
    expect(words()).toContain('Removed from Favourites.');
  });

  test('change by key H for the ringed quadrant, and not while letters are turned off', async () => {
    await signIn();
    settings.areShortcutsOn = false;
    await pressH();
    settings.areShortcutsOn = true;
    expect(library.favouriteCalls).toEqual([]);
    await pressH();
    await pressH();
    expect(library.favouriteCalls).toEqual(['PUT top-left', 'DELETE top-left']);
  });

  test('need an account: without one nothing is sent, and the quadrant says so', async () => {
    await pressH();
    expect([library.favouriteCalls, words().includes('Sign in to keep favourites.')]).toEqual([[], true]);
  });
});
