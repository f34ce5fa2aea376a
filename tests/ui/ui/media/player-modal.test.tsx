import { useState } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { mediaBudget } from '#app/playback/media-budget.ts';
import { watchRemote } from '#app/shell/remote.ts';
import { PlayerModal } from '#app/ui/media/player-modal.tsx';
import { Modal } from '#app/ui/modal.tsx';
import { button, draw, press, settle } from '../../draw.tsx';
import { focusedName, pressKey, pressKeys } from '../../keys.ts';
import { withRemote } from '../../with-remote.ts';
import { giveMedia, report } from './media-element.ts';

withRemote(watchRemote);
beforeEach(giveMedia);

function Card() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        north-pier.mp4
      </button>
      {isOpen && (
        <PlayerModal title="north-pier.mp4" url="/v/north" posterUrl="/p/north" onClose={() => setOpen(false)} />
      )}
    </>
  );
}

const dialog = () => document.querySelector<HTMLElement>('[role="dialog"]');
const video = () => document.querySelector('video') as HTMLVideoElement;

async function open() {
  await draw(<Card />);
  button('north-pier.mp4').focus();
  await pressKey('Enter');
}

const openPlaying = async () => {
  await open();
  await report(
    video(),
    { readyState: 4, duration: 760, currentTime: 236 },
    'loadeddata',
    'durationchange',
    'playing',
    'timeupdate',
  );
};

test('it leases a decoder, a connection and the sound, plays, and gives them back when it is closed', async () => {
  const before = mediaBudget.inUse('decoder');
  await open();
  expect([video().getAttribute('src'), video().paused, mediaBudget.inUse('decoder')]).toEqual([
    '/v/north',
    false,
    before + 1,
  ]);
  expect([mediaBudget.inUse('connection'), mediaBudget.inUse('sound')]).toEqual([1, 1]);
  const element = video();
  await press('Close');
  expect([dialog(), element.hasAttribute('src'), mediaBudget.inUse('decoder'), mediaBudget.inUse('sound')]).toEqual([
    null,
    false,
    before,
    0,
  ]);
});

test('it is named by its file, starts on Pause, and says what it waits for', async () => {
  await open();
  expect(document.getElementById(dialog()?.getAttribute('aria-labelledby') ?? '')?.textContent).toBe('north-pier.mp4');
  expect(focusedName()).toBe('Pause');
  expect(dialog()?.textContent).toContain('Loading video...');
  await report(video(), { readyState: 4 }, 'loadeddata', 'playing');
  expect(dialog()?.textContent).not.toContain('Loading video...');
});

test.each(['Escape', 'the end of the video', 'the backdrop'])(
  '%s closes it, and the card has the focus again',
  async (way) => {
    await openPlaying();
    if (way === 'Escape') await pressKey('Escape');
    else if (way === 'the backdrop') await settle(() => dialog()?.parentElement?.click());
    else await report(video(), { ended: true }, 'ended');
    expect([dialog(), focusedName()]).toEqual([null, 'north-pier.mp4']);
  },
);

test('its end does not close a dialog over it', async () => {
  await openPlaying();
  await draw(
    <Modal title="Report" onClose={() => {}}>
      <button type="button">Send</button>
    </Modal>,
  );
  await report(video(), { ended: true }, 'ended');
  expect([...document.querySelectorAll('[role="dialog"] h2')].map((one) => one.textContent)).toEqual([
    'north-pier.mp4',
    'Report',
  ]);
});

test('by keys: pause, seek, mute', async () => {
  await openPlaying();
  await pressKey('Enter');
  expect([video().paused, focusedName()]).toEqual([true, 'Play']);
  const line = document.querySelector('[aria-label="Seek"]') as HTMLInputElement;
  expect([line.getAttribute('aria-valuetext'), line.value]).toEqual(['3:56 / 12:40', '236']);
  line.focus();
  await pressKey('ArrowRight');
  expect(video().currentTime).toBe(296);
  await pressKeys('ArrowLeft', 'ArrowLeft');
  expect(video().currentTime).toBe(176);
  await press('Mute');
  expect(video().muted).toBe(true);
  await report(video(), {}, 'volumechange');
  await press('Unmute');
  expect(video().muted).toBe(false);
});

test('seeking is ignored while the duration is unknown', async () => {
  await open();
  await report(video(), { duration: Number.NaN, currentTime: 0 }, 'durationchange');
  await press('Seek forward');
  expect([video().currentTime, document.querySelector<HTMLInputElement>('[aria-label="Seek"]')?.disabled]).toEqual([
    0,
    true,
  ]);
});

test('with a remote: arrows walk along the controls, and its media keys act wherever the focus is', async () => {
  document.documentElement.dataset.form = 'tv';
  await openPlaying();
  await pressKeys('ArrowDown');
  expect(focusedName()).toBe('Seek back');
  await pressKey('MediaPlayPause');
  expect(video().paused).toBe(true);
  await pressKey('MediaPlay');
  expect(video().paused).toBe(false);
  await pressKey('MediaFastForward');
  expect(video().currentTime).toBe(296);
});

test('without its decoder it gives its source up, and with it back it goes on where it was', async () => {
  await openPlaying();
  const capacity = mediaBudget.capacityOf('decoder');
  await settle(() => mediaBudget.setCapacity('decoder', 0));
  expect(video().hasAttribute('src')).toBe(false);
  await settle(() => mediaBudget.setCapacity('decoder', capacity));
  expect([video().getAttribute('src'), video().paused]).toEqual(['/v/north#t=236', false]);
});

test('a video that cannot be loaded says so', async () => {
  await open();
  await report(video(), { error: { code: 4 } }, 'error');
  expect(document.querySelector('[role="alert"]')?.textContent).toBe('Failed to load video');
});

test('the keys of the system show and drive it while it is open', async () => {
  const handlers: Record<string, (() => void) | null> = {};
  const system = {
    metadata: null as { title: string } | null,
    playbackState: 'none',
    setActionHandler: (name: string, handler: (() => void) | null) => {
      handlers[name] = handler;
    },
  };
  vi.stubGlobal('MediaMetadata', Object);
  Object.defineProperty(navigator, 'mediaSession', { value: system, configurable: true });
  await openPlaying();
  expect([system.metadata?.title, system.playbackState]).toEqual(['north-pier.mp4', 'playing']);
  await settle(() => handlers.seekforward?.());
  expect(video().currentTime).toBe(296);
  await settle(() => handlers.pause?.());
  expect(video().paused).toBe(true);
  await press('Close');
  expect([system.metadata, system.playbackState, handlers.play]).toEqual([null, 'none', null]);
  Reflect.deleteProperty(navigator, 'mediaSession');
  vi.unstubAllGlobals();
});
