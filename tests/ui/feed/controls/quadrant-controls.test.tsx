import { act } from 'react';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import {
  closeQuadrantMenu,
  controls,
  enterControls,
  hideControls,
  openQuadrantMenu,
  quadrantMenu,
  showControls,
} from '#app/features/feed/controls/controls-store.ts';
import { FeedScreen } from '#app/features/feed/feed-screen.tsx';
import { expand, feed } from '#app/features/feed/feed-state.ts';
import { openFeed, resetFeed, startAll } from '#app/features/feed/feed-store.ts';
import { playerFacts, playerOf } from '#app/playback/player/player.ts';
import { closeDialog, closeMenu, navigation, openDialog, openMenu } from '#app/state/navigation.ts';
import { session } from '#app/state/session.ts';
import { changeSettings, loadSettings, settings } from '#app/state/settings.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { featuresByTier } from '#contract/rules/tiers.ts';
import { FakeLibrary } from '#tests/unit/app/feed/fake-library.ts';
import { feedVideo } from '#tests/unit/app/feed/feed-video.ts';
import { draw, settle } from '../../draw.tsx';
import { followMutes } from '../follow-mutes.ts';

beforeEach(async () => {
  vi.useFakeTimers();
  localStorage.clear();
  loadSettings();
  new FakeLibrary('a', 'b', 'c', 'd', 'e', 'f');
  openFeed();
  startAll();
  await draw(<FeedScreen />);
  await act(() => vi.advanceTimersByTimeAsync(0));
  await settle(() => {
    feed.quadrants['top-left'].shown = feedVideo('v', { title: 'North pier last light', durationSeconds: 245 });
    feed.quadrants['top-left'].activity = { kind: 'settled' };
    Object.assign(playerFacts['top-left'], {
      hasFrame: true,
      isPreparing: false,
      isPaused: false,
      durationSeconds: 245,
    });
    showControls('top-left', 'key');
  });
  await act(() => vi.dynamicImportSettled());
});

afterEach(async () => {
  await settle(() => {
    hideControls();
    resetFeed();
  });
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function quadrant(name: Quadrant): HTMLElement {
  return document.querySelector(`[data-quadrant=${name}]`) as HTMLElement;
}

function control(label: string, name: Quadrant = 'top-left'): HTMLElement {
  const found = quadrant(name).querySelector<HTMLElement>(`[aria-label="${label}"]`);
  if (!found) throw new Error(`No '${label}' in ${name}`);
  return found;
}

const pressKey = (key: string, rest: object = {}, target: EventTarget = document.body) =>
  settle(() => target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...rest })));

test('the controls stand in their order, each with a name', () => {
  const names = [...quadrant('top-left').querySelectorAll('button, input')].map((one) =>
    one.getAttribute('aria-label'),
  );
  expect(names).toEqual([
    'Seek',
    'Skip back',
    'Seek back 1 minute',
    'Seek forward 1 minute',
    'Skip',
    'Pin',
    'Expand',
    'More',
    'Unmute',
    'Volume',
    'Filter',
    'Move to...',
  ]);
});

test('the keys of the shortcuts stand on their buttons, and leave with the shortcuts', async () => {
  const hints = () =>
    [...quadrant('bottom-left').querySelectorAll<HTMLElement>('button [data-key]')].map((hint) => hint.dataset.key);
  expect(hints()).toEqual(['E', '3', 'C', 'D']);
  await settle(() => changeSettings({ areShortcutsOn: false }));
  expect(hints()).toEqual([]);
});

test('a pin is seen on the button and the corner, and says why there is no skip', async () => {
  await settle(() => control('Pin').click());
  expect(quadrant('top-left').dataset.pinned).toBe('true');
  expect(control('Unpin')).toBeTruthy();
  expect(control('Skip').getAttribute('aria-disabled')).toBe('true');
  expect(control('Skip').title).toBe('Unpin to skip');
});

test('without a past there is no skip back', () => {
  expect(control('Skip back').getAttribute('aria-disabled')).toBe('true');
});

test('the mute button lets the quadrant sound', async () => {
  const setMuted = vi.spyOn(playerOf('top-left'), 'setMuted');
  await settle(() => control('Unmute').click());
  expect(setMuted).toHaveBeenCalledWith(false);
});

test('the mute button, held for half a second, lets its quadrant alone be heard', async () => {
  const muted = followMutes();
  await settle(() => playerOf('bottom-right').setMuted(false));
  const button = control('Unmute');
  const touch = (type: string) =>
    settle(() => button.dispatchEvent(Object.assign(new Event(type, { bubbles: true }), { button: 0 })));
  await touch('pointerdown');
  await act(() => vi.advanceTimersByTimeAsync(500));
  const longPress = new MouseEvent('contextmenu', { bubbles: true, cancelable: true });
  await settle(() => button.dispatchEvent(longPress));
  await touch('pointerup');
  await settle(() => button.click());

  expect(muted()).toEqual([false, true, true, true]);
  expect([longPress.defaultPrevented, quadrantMenu.of]).toEqual([true, null]);

  await settle(() => button.click());
  expect(muted()).toEqual([true, true, true, true]);
});

test('OK that is held on the mute button does the same once', async () => {
  const muted = followMutes();
  await settle(() => playerOf('bottom-right').setMuted(false));
  const button = control('Unmute');
  for (const repeat of [false, true, true, true]) await pressKey('Enter', { repeat }, button);
  expect(vi.mocked(playerOf('top-left').setMuted).mock.calls).toEqual([[false]]);
  expect(muted()).toEqual([false, true, true, true]);
});

test('a colour key that is held, and Shift with a mute key, let one quadrant alone be heard; M mutes all', async () => {
  const muted = followMutes();
  await pressKey('ColorF1Green');
  expect(muted()).toEqual([true, true, true, true]);
  await pressKey('ColorF1Green', { repeat: true });
  expect(muted()).toEqual([true, false, true, true]);
  await pressKey('D', { shiftKey: true });
  expect(muted()).toEqual([true, true, false, true]);
  await pressKey('m');
  expect(muted()).toEqual([true, true, true, true]);
});

test('a colour key of another quadrant expands it in place of the one that fills the screen', async () => {
  const muted = followMutes();
  await pressKey('ColorF1Green');
  await settle(() => expand('top-right'));
  await act(() => vi.advanceTimersByTimeAsync(10_000));
  expect(feed.areOthersPaused).toBe(true);
  await pressKey('ColorF3Blue');
  await act(() => vi.advanceTimersByTimeAsync(0));
  expect([feed.expanded, controls.active, feed.areOthersPaused]).toEqual(['bottom-right', 'bottom-right', false]);
  expect(document.activeElement).toBe(quadrant('bottom-right'));
  await pressKey('ColorF3Blue', { repeat: true });
  expect([feed.expanded, muted()]).toEqual(['bottom-right', [true, true, true, false]]);
});

test('keys that act behind an expanded quadrant take nothing from it', async () => {
  await settle(() => {
    expand('top-right');
    enterControls('top-right');
  });
  await pressKey('3');
  expect(controls).toMatchObject({ active: 'top-right', entered: 'top-right' });
});

test('the volume moves in steps of 0.1, and is kept', async () => {
  const setVolume = vi.spyOn(playerOf('top-left'), 'setVolume');
  const slider = control('Volume') as HTMLInputElement;
  await settle(() => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(slider, '0.4');
    slider.dispatchEvent(new Event('input', { bubbles: true }));
  });
  expect(setVolume).toHaveBeenCalledWith(0.4);
  expect(settings.volumes['top-left']).toBe(0.4);
});

test('a slider that is held keeps the controls on screen', async () => {
  await settle(() => control('Volume').dispatchEvent(new PointerEvent('pointerdown', { bubbles: true })));
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect(controls.active).toBe('top-left');
  await settle(() => control('Volume').dispatchEvent(new PointerEvent('pointerup', { bubbles: true })));
  await act(() => vi.advanceTimersByTimeAsync(5_000));
  expect(controls.active).toBeNull();
});

test('a finger on a control keeps all of them for another 2.5 s', async () => {
  await settle(() => showControls('top-left', 'pointer'));
  await act(() => vi.advanceTimersByTimeAsync(2_000));
  await settle(() =>
    control('Pin').dispatchEvent(new PointerEvent('pointerdown', { pointerType: 'touch', bubbles: true })),
  );
  await act(() => vi.advanceTimersByTimeAsync(2_400));
  expect(controls.active).toBe('top-left');
  await act(() => vi.advanceTimersByTimeAsync(100));
  expect(controls.active).toBeNull();
});

test('expand fills the screen, and its button leads back to the grid', async () => {
  await settle(() => control('Expand').click());
  expect(quadrant('top-left').dataset.expanded).toBe('true');
  await settle(() => control('Back to the grid').click());
  expect(quadrant('top-left').dataset.expanded).toBe('false');
});

test('a double click expands, and one on a button does not', async () => {
  const doubleClick = (target: Element) =>
    settle(() => target.dispatchEvent(new MouseEvent('dblclick', { bubbles: true })));
  await doubleClick(control('Skip'));
  expect(feed.expanded).toBeNull();
  await doubleClick(quadrant('top-left'));
  expect(feed.expanded).toBe('top-left');
});

test('a shortcut acts on its quadrant and wakes it, wherever the focus is', async () => {
  await pressKey('v');
  expect(feed.quadrants['bottom-right'].pinned).toBeNull();
  await settle(() => {
    feed.quadrants['bottom-right'].shown = feedVideo('w');
  });
  await pressKey('v');
  expect(feed.quadrants['bottom-right'].pinned).not.toBeNull();
  expect(controls.active).toBe('bottom-right');
});

test('a shortcut seeks by the step', async () => {
  const seekTo = vi.spyOn(playerOf('top-left'), 'seekTo');
  await pressKey('1');
  expect(seekTo).toHaveBeenCalledWith(60);
});

test.each([
  ['pro', 30, '30 seconds'],
  ['lifetime', 90, '1m 30s'],
  ['basic', 60, '1 minute'],
] as const)(
  'who is %s and chose another step seeks by %i s, however it is asked for, and reads it on the buttons',
  async (tier, step, words) => {
    vi.spyOn(playerOf('top-left'), 'position', 'get').mockReturnValue(120);
    const seekTo = vi.spyOn(playerOf('top-left'), 'seekTo').mockReturnValue();
    onTestFinished(() => {
      session.features = null;
    });
    await settle(() => {
      session.features = featuresByTier[tier];
      changeSettings({ seekStepSeconds: tier === 'basic' ? 90 : step });
    });
    const turnKey = (key: string) => pressKey(key, {}, control('Seek'));
    const forward = [
      () => settle(() => control(`Seek forward ${words}`).click()),
      () => pressKey('1'),
      () => turnKey('ArrowRight'),
    ];
    const back = [
      () => settle(() => control(`Seek back ${words}`).click()),
      () => pressKey('q'),
      () => turnKey('ArrowLeft'),
    ];
    for (const act of [...forward, ...back]) await act();
    expect(seekTo.mock.calls.flat()).toEqual([...forward.map(() => 120 + step), ...back.map(() => 120 - step)]);
  },
);

test('a video of unknown length is not sought in', async () => {
  const seekTo = vi.spyOn(playerOf('top-left'), 'seekTo');
  await settle(() => Object.assign(playerFacts['top-left'], { durationSeconds: null }));
  await pressKey('1');
  expect(seekTo).not.toHaveBeenCalled();
});

test('a shortcut that is held seeks on, but mutes once', async () => {
  const player = playerOf('top-left');
  const [seekTo, setMuted] = [vi.spyOn(player, 'seekTo'), vi.spyOn(player, 'setMuted')];
  await pressKey('1', { repeat: true });
  await pressKey('a', { repeat: true });
  expect([seekTo.mock.calls.length, setMuted.mock.calls.length]).toEqual([1, 0]);
});

test.each([
  ['while somebody types', () => ({ target: document.body.appendChild(document.createElement('input')) })],
  ['while somebody writes', () => ({ target: document.body.appendChild(document.createElement('textarea')) })],
  ['with Control', () => ({ rest: { ctrlKey: true } })],
  ['when switched off', () => void changeSettings({ areShortcutsOn: false })],
  ['under a dialog', () => void openDialog('sign-in')],
])('no shortcut acts %s', async (_, arrange) => {
  const { target, rest } = { target: document.body as EventTarget, rest: {}, ...arrange() };
  await pressKey('z', rest, target);
  expect(feed.quadrants['top-left'].pinned).toBeNull();
  closeDialog();
});

test('I shows the statistics and hides them, and the choice is kept', async () => {
  await pressKey('i');
  await vi.waitFor(() => expect(document.body.textContent).toContain('Quadrant Details'));
  expect(settings.areStatisticsShown).toBe(true);
  await pressKey('i');
  expect(document.body.textContent).not.toContain('Quadrant Details');
});

test.each([
  ['top-left', 500, false],
  ['top-right', 100, true],
  ['bottom-right', 300, false],
  ['bottom-right', 500, true],
] as const)(
  'with the controls of %s, statistics that end at %i px leave the right side: %s',
  async (name, bottom, isLeft) => {
    vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(() => new DOMRect(0, 0, 200, bottom));
    vi.stubGlobal('innerHeight', 800);
    await pressKey('i');
    await vi.waitFor(() => expect(document.body.textContent).toContain('Quadrant Details'));
    await settle(() => showControls('bottom-left', 'key'));
    const classes = () => document.querySelector('aside')?.classList.length;
    expect(classes()).toBe(1);
    await settle(() => showControls(name, 'key'));
    expect(classes()).toBe(isLeft ? 2 : 1);
    await settle(() => expand(name));
    expect(classes()).toBe(1);
    await pressKey('i');
  },
);

test('OK leads among the controls of a quadrant, and a mouse out of there', async () => {
  quadrant('top-left').focus();
  await pressKey('Enter', {}, quadrant('top-left'));
  await settle(() => quadrant('top-left').dispatchEvent(new KeyboardEvent('keyup', { key: 'Enter', bubbles: true })));
  expect(quadrant('top-left').dataset.entered).toBe('true');
  await settle(() =>
    quadrant('top-left').dispatchEvent(new PointerEvent('pointermove', { pointerType: 'mouse', bubbles: true })),
  );
  expect(quadrant('top-left').dataset.entered).toBe('false');
});

test('OK that is held expands', async () => {
  quadrant('top-left').focus();
  await pressKey('Enter', {}, quadrant('top-left'));
  await act(() => vi.advanceTimersByTimeAsync(500));
  await settle(() => quadrant('top-left').dispatchEvent(new KeyboardEvent('keyup', { key: 'Enter', bubbles: true })));
  expect(feed.expanded).toBe('top-left');
  expect(controls.entered).toBeNull();
});

test('a colour key goes to its quadrant, and Play/Pause holds the one with the ring', async () => {
  await pressKey('ColorF1Green');
  expect(document.activeElement).toBe(quadrant('top-right'));
  await pressKey('MediaPlayPause');
  expect(feed.quadrants['top-right'].isPaused).toBe(true);
  await pressKey('MediaPlayPause');
  expect(feed.quadrants['top-right'].isPaused).toBe(false);
});

test('Play/Pause that is held pauses all four, and lets them all go on', async () => {
  const held = () => quadrants.map((name) => feed.quadrants[name].isPaused);
  await pressKey('MediaPlayPause');
  await pressKey('MediaPlayPause', { repeat: true });
  expect(held()).toEqual([true, true, true, true]);
  await pressKey('MediaPlayPause');
  await pressKey('MediaPlayPause', { repeat: true });
  expect(held()).toEqual([false, false, false, false]);
});

test('a question mark asks for help with the keys, unless the shortcuts are off', async () => {
  await settle(() => changeSettings({ areShortcutsOn: false }));
  await pressKey('?', { shiftKey: true });
  expect(navigation.dialog).toBeNull();
  await settle(() => changeSettings({ areShortcutsOn: true }));
  await pressKey('?', { shiftKey: true });
  expect(navigation.dialog).toBe('shortcuts');
  closeDialog();
});

test('who may not control videos has neither their buttons nor their keys', async () => {
  await settle(() => {
    session.features = {
      quad_stream: true,
      video_controls: false,
      customizable_skip_limits: false,
      hd_streaming: false,
      admin_panel: false,
      user_management: false,
    };
  });
  const names = [...quadrant('top-left').querySelectorAll('button')].map((one) => one.getAttribute('aria-label'));
  expect(names).toEqual(['Expand', 'More', 'Filter', 'Move to...']);
  await pressKey('z');
  expect(feed.quadrants['top-left'].pinned).toBeNull();
  session.features = null;
});

test('a dialog that an entry of the menu opened stays, and so do the controls, until it is closed', async () => {
  await settle(() => enterControls('top-left'));
  await settle(() => openQuadrantMenu('top-left'));
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  await settle(() => {
    closeQuadrantMenu();
    openDialog('keep');
  });
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect([navigation.dialog, controls.entered]).toEqual(['keep', 'top-left']);
  await settle(closeDialog);
  await act(() => vi.advanceTimersByTimeAsync(5_000));
  expect(controls).toMatchObject({ active: null, entered: null });
});

test('a quadrant that its control expanded stays expanded when the controls hide', async () => {
  await settle(() => enterControls('top-left'));
  await settle(() => expand('top-left'));
  await act(() => vi.advanceTimersByTimeAsync(5_000));
  expect(controls).toMatchObject({ active: null, entered: null });
  expect(feed.expanded).toBe('top-left');
});

test('the menu opens over entered controls, and outlasts them', async () => {
  await settle(() => enterControls('top-left'));
  await settle(() => openMenu('hover'));
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect([navigation.isMenuOpen, controls.entered]).toEqual([true, null]);
  await settle(closeMenu);
});
