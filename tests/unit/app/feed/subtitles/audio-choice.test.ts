import { afterEach, beforeEach, expect, test } from 'vitest';
import { feed } from '#app/features/feed/feed-state.ts';
import { move } from '#app/features/feed/quadrant/move.ts';
import type { FeedVideo } from '#app/features/feed/quadrant/quadrant.ts';
import { quadrantMarks } from '#app/features/feed/quadrant/quadrant-gestures.tsx';
import { skip } from '#app/features/feed/quadrant/quadrant-machine.ts';
import { chooseAudioTrack } from '#app/features/feed/subtitles/subtitle-tracks.ts';
import { changeSettings, settings } from '#app/state/settings.ts';
import type { AudioTrack } from '#contract/entities/video.ts';
import { picked } from '../fake-library.ts';
import { FeedStage } from '../feed-stage.ts';

const here = 'top-left';
const first: AudioTrack = { track: 0, language: null, label: 'Track 1', is_default: true };
const second: AudioTrack = { track: 1, language: null, label: 'Track 2', is_default: false };

/** The change takes place so far ahead, a little more. */
const leadSeconds = 2.05;

let stage: FeedStage;

beforeEach(async () => {
  stage = new FeedStage();
  await stage.play();
});

afterEach(() => {
  changeSettings({ audioLanguage: null });
  stage.end();
});

/** The server has an encoding with the track. */
function answerWith(id: string, track?: number): void {
  stage.library.addresses.push({
    url: `/stream/${id}-${track ?? 'default'}`,
    rendition: 'grid',
    width: 640,
    height: 360,
    bitrate_bps: null,
    ...(track !== undefined && { audio_track: track }),
    processing: null,
  });
}

const shown = () => feed.quadrants[here].shown as FeedVideo;

/** What has been asked for comes to the screen. */
async function arrive(): Promise<void> {
  await stage.arrive();
  stage.screen.layer(here, 'back').metadataNow();
  stage.screen.show(here);
  await stage.arrive();
}

/** Skips until the video is on screen; picks give no other from now on. */
async function skipTo(id: string): Promise<void> {
  stage.library.answer = ({ quadrant }) => (quadrant === here ? { json: picked(id, 16) } : undefined);
  do {
    skip(here);
    await arrive();
  } while (shown().id !== id);
}

/** The encoding with the track has its first picture, and the video on screen reaches that second. */
async function changeTrack(): Promise<void> {
  await stage.arrive();
  const [front, back] = [stage.screen.layer(here, 'front'), stage.screen.layer(here, 'back')];
  back.showNow();
  front.timeNow(front.currentTime + leadSeconds);
  await stage.seconds(0.25);
}

const heard = () => [shown().id, shown().audioTrack, settings.audioLanguage];

test('an audio track without a language holds for its video when it comes again, and for no other', async () => {
  changeSettings({ audioLanguage: 'de' });
  answerWith('a', 1);
  void chooseAudioTrack(here, shown(), second);
  await changeTrack();
  expect(heard()).toEqual(['a', 1, 'de']);

  await skipTo('z');
  expect(heard()).toEqual(['z', undefined, 'de']);
  expect(stage.library.addressAsks).toHaveLength(1);
  answerWith('a', 1);
  await skipTo('a');
  await changeTrack();
  expect(heard()).toEqual(['a', 1, 'de']);
  expect(stage.library.addressAsks[1]).toMatchObject({ path: 'a.mp4', quadrant: here, audio_track: 1 });
});

test('a track that can no longer be played when its video comes again is left, and nothing is said', async () => {
  answerWith('a', 1);
  void chooseAudioTrack(here, shown(), second);
  await changeTrack();
  await skipTo('z');
  answerWith('a');
  await skipTo('a');
  await stage.arrive();
  expect(stage.library.addressAsks).toHaveLength(2);
  expect([...heard(), quadrantMarks[here].channel]).toEqual(['a', undefined, null, null]);

  answerWith('a');
  void chooseAudioTrack(here, shown(), second);
  await stage.arrive();
  expect(quadrantMarks[here].channel).toBe('This audio track cannot be played.');
});

test('the default track holds as well, where picks give another one for its language', async () => {
  feed.quadrants[here].shown = { ...shown(), audioTrack: 1 };
  answerWith('a');
  void chooseAudioTrack(here, shown(), first);
  await changeTrack();
  expect(heard()).toEqual(['a', undefined, null]);
});

test('a track with a language ends what was remembered for its video, and holds for the next ones', async () => {
  answerWith('a', 1);
  void chooseAudioTrack(here, shown(), second);
  await changeTrack();
  answerWith('a', 2);
  void chooseAudioTrack(here, shown(), { track: 2, language: 'de', label: 'German', is_default: false });
  await changeTrack();
  expect(heard()).toEqual(['a', 2, 'de']);
  answerWith('a', 1);
  await skipTo('z');
  await skipTo('a');
  expect(stage.library.addressAsks).toHaveLength(2);
});

test('a track whose encoding is still made when its video is moved is played in the other quadrant', async () => {
  const german: AudioTrack = { track: 2, language: 'de', label: 'German', is_default: false };
  answerWith('a');
  Object.assign(stage.library.addresses[0] ?? {}, { processing: { state: 'running', progress: 10 } });
  void chooseAudioTrack(here, shown(), german);
  await stage.arrive();
  expect(quadrantMarks[here].channel).toBe('The audio track is being prepared.');

  answerWith('a', 2);
  move(here, 'top-right');
  for (const quadrant of [here, 'top-right'] as const) stage.screen.layer(quadrant, 'back').metadataNow();
  stage.screen.show(here, 'top-right');
  await stage.arrive();
  const [front, back] = [stage.screen.layer('top-right', 'front'), stage.screen.layer('top-right', 'back')];
  back.showNow();
  front.timeNow(front.currentTime + leadSeconds);
  await stage.seconds(0.25);
  expect(stage.library.addressAsks[1]).toMatchObject({ path: 'a.mp4', quadrant: 'top-right', audio_track: 2 });
  expect(feed.quadrants['top-right'].shown).toMatchObject({ id: 'a', audioTrack: 2 });

  answerWith('a', 2);
  await stage.seconds(6);
  expect(stage.library.addressAsks).toHaveLength(2);
});
