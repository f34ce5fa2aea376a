import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { closePlayer, play, VideoPlayer } from '#app/features/videos/video-player.tsx';
import { closeDialog, navigation, openView, resetNavigation } from '#app/state/navigation.ts';
import { resetSession, session } from '#app/state/session.ts';
import { claimPlayRequest, videoAct } from '#app/state/view-requests.ts';
import { featuresByTier } from '#contract/rules/tiers.ts';
import { draw, press, settle } from '../draw.tsx';
import { giveMedia, report } from '../ui/media/media-element.ts';
import { channel, video } from './library.ts';

beforeEach(giveMedia);

afterEach(async () => {
  await settle(() => {
    closePlayer();
    resetNavigation();
  });
  Reflect.deleteProperty(navigator, 'share');
  Reflect.deleteProperty(navigator, 'clipboard');
});

const drawPlayer = async () => {
  openView('channels');
  const screen = await draw(<VideoPlayer />);
  await settle(() => void play(video('tromso', channel('a', 'Aurora'))));
  return screen;
};
/** An API of the browser that happy-dom lacks, or has otherwise. */
const give = (name: 'share' | 'clipboard', value: unknown) =>
  Object.defineProperty(navigator, name, { value, configurable: true });
const titles = () => [...document.querySelectorAll('[role="dialog"] h2')].map(({ textContent }) => textContent);

test('the video goes to the quadrant that is chosen, and the feed opens', async () => {
  await drawPlayer();
  await press('Play in...');
  expect(titles()).toEqual(['tromso.mp4', 'Play in...']);
  await press('Bottom left');
  expect([titles(), navigation.view]).toEqual([[], 'feed']);
  expect(claimPlayRequest()).toEqual({
    quadrant: 'bottom-left',
    video: {
      id: 'tromso',
      path: 'tromso.mp4',
      title: 'tromso.mp4',
      url: '/stream/tromso',
      rendition: 'source',
      renditions: [],
      storyboard: null,
      width: 1920,
      height: 1080,
      durationSeconds: 171,
      posterUrl: '/posters/tromso',
      tagIds: ['a'],
    },
  });
  expect(claimPlayRequest()).toBe(null);
});

test('it is shared by the dialog of the system, with the address that opens it', async () => {
  const share = vi.fn(async () => {});
  give('share', share);
  await drawPlayer();
  await press('Share');
  expect(share).toHaveBeenCalledWith({ url: `${location.origin}/?video=tromso` });
});

test('without such a dialog the address is copied', async () => {
  const writeText = vi.fn(async () => {});
  give('clipboard', { writeText });
  const screen = await drawPlayer();
  await press('Share');
  await settle();
  expect(writeText).toHaveBeenCalledWith(`${location.origin}/?video=tromso`);
  expect(screen.textContent).toContain('Link copied.');
});

test('an address that cannot be copied is said', async () => {
  give('clipboard', undefined);
  Object.defineProperty(document, 'execCommand', { value: () => false, configurable: true });
  const screen = await drawPlayer();
  await press('Share');
  await settle();
  expect(screen.textContent).toContain('The link could not be copied.');
  Reflect.deleteProperty(document, 'execCommand');
});

test('it closes at the end of the video', async () => {
  await drawPlayer();
  await report(document.querySelector('video') as HTMLVideoElement, { ended: true }, 'ended');
  expect(titles()).toEqual([]);
});

test('everybody reports the video from there, and administrators hide it, which leaves no other one', async () => {
  await drawPlayer();
  await press('Report');
  expect([videoAct.current?.kind, videoAct.current?.video.id, navigation.dialog]).toEqual([
    'report',
    'tromso',
    'video-act',
  ]);
  expect(document.querySelector('[aria-label="Hide video"]')).toBe(null);
  await settle(closeDialog);
  await settle(() => Object.assign(session, { features: featuresByTier.admin }));
  onTestFinished(() => settle(resetSession));
  await press('Hide video');
  expect([videoAct.current?.kind, titles()]).toEqual(['hide', ['tromso.mp4']]);
  await settle(() => videoAct.current?.onHidden?.('harbour'));
  expect(titles()).toEqual(['tromso.mp4']);
  await settle(() => videoAct.current?.onHidden?.('tromso'));
  expect(titles()).toEqual([]);
});
