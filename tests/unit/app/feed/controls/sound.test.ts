import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { toggleMute } from '#app/features/feed/quadrant/player-actions.ts';
import { skip } from '#app/features/feed/quadrant/quadrant-machine.ts';
import { hearOnly, shareMediaSession, toggleMuteAll } from '#app/features/feed/quadrant/sound.ts';
import type { MediaActions, NowPlaying } from '#app/platform/media-session.ts';
import { playerFacts, playerOf } from '#app/playback/player/player.ts';
import { session } from '#app/state/session.ts';
import { settings } from '#app/state/settings.ts';
import { limits } from '#contract/limits.ts';
import { quadrants } from '#contract/quadrants.ts';
import { featuresByTier } from '#contract/rules/tiers.ts';
import { FeedStage } from '../feed-stage.ts';

const told = vi.hoisted(() => ({
  title: null as string | null,
  artworkUrl: null as string | null,
  isPlaying: false,
  actions: {} as MediaActions,
  times: 0,
}));

vi.mock('#app/platform/media-session.ts', () => ({
  showInMediaSession: (nowPlaying: NowPlaying, isPlaying: boolean, actions: MediaActions) =>
    void Object.assign(told, { ...nowPlaying, isPlaying, actions, times: told.times + 1 }),
  clearMediaSession: () => void Object.assign(told, { title: null, actions: {} }),
}));

let stage: FeedStage;
let stop: () => void;

beforeEach(async () => {
  stage = new FeedStage();
  await stage.play();
  told.times = 0;
  stop = shareMediaSession();
});

afterEach(() => {
  stop();
  stage.end();
});

test('while nothing sounds, nobody is told', () => {
  expect(told.title).toBeNull();
});

test('the quadrant that was let sound last is the one that headset keys drive', async () => {
  toggleMute('bottom-right');
  await stage.arrive();
  toggleMute('top-left');
  await stage.arrive();
  const { shown } = stage.summary('top-left');
  expect(told).toMatchObject({ title: shown?.title, artworkUrl: `/posters/${shown?.id}` });
  told.actions.pause?.();
  expect(stage.summary('top-left').isPaused).toBe(true);
  toggleMute('top-left');
  await stage.arrive();
  expect(told.title).toBe(stage.summary('bottom-right').shown?.title);
});

test('headset keys seek by the step that the viewer chose', async () => {
  const player = playerOf('top-left');
  vi.spyOn(player, 'position', 'get').mockReturnValue(60);
  const seekTo = vi.spyOn(player, 'seekTo').mockReturnValue();
  playerFacts['top-left'].durationSeconds = 120;
  session.features = featuresByTier.pro;
  settings.seekStepSeconds = 30;
  onTestFinished(() => {
    session.features = null;
    settings.seekStepSeconds = limits.skipDurationSeconds;
  });
  toggleMute('top-left');
  await stage.arrive();
  told.actions.seekforward?.();
  told.actions.seekbackward?.();
  expect(seekTo.mock.calls).toEqual([[90], [30]]);
});

test('what changes nothing to tell is not told again', async () => {
  toggleMute('top-left');
  await stage.arrive();
  stage.screen.layer('top-left', 'front').timeNow(3);
  await stage.seconds(10);
  expect(told.times).toBe(1);
});

test('a feed that is left tells of nothing', async () => {
  toggleMute('top-left');
  await stage.arrive();
  stop();
  expect(told.title).toBeNull();
});

const heard = () => quadrants.filter((quadrant) => !playerFacts[quadrant].isMuted);

test('whoever wants to hear one quadrant alone hears no other', async () => {
  toggleMute('top-left');
  toggleMute('bottom-left');
  await stage.arrive();
  hearOnly('top-right');
  await stage.arrive();
  expect(heard()).toEqual(['top-right']);

  hearOnly('top-right');
  await stage.arrive();
  expect(heard()).toEqual(['top-right']);
});

test('what is heard alone is heard after a skip as well', async () => {
  hearOnly('top-right');
  skip('top-right');
  await stage.arrive();
  stage.screen.show('top-right');
  await stage.arrive();
  expect(heard()).toEqual(['top-right']);
});

test('all are muted at once, and those come back that were heard', async () => {
  toggleMute('top-left');
  toggleMute('bottom-right');
  await stage.arrive();
  toggleMuteAll();
  await stage.arrive();
  expect(heard()).toEqual([]);

  toggleMuteAll();
  await stage.arrive();
  expect(heard()).toEqual(['top-left', 'bottom-right']);
});

test('whoever may not control videos mutes nothing and hears nothing', async () => {
  toggleMute('top-left');
  await stage.arrive();
  session.features = { ...featuresByTier.pro, video_controls: false };
  onTestFinished(() => {
    session.features = null;
  });
  toggleMuteAll();
  hearOnly('top-right');
  await stage.arrive();
  expect(heard()).toEqual(['top-left']);
});
