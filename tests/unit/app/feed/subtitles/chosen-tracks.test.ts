import { beforeEach, describe, expect, test } from 'vitest';
import { areWanted, chosenTracks, setChosenTrack, trackOf } from '#app/features/feed/subtitles/chosen-tracks.ts';

const track = (language: string | null, url = `/${language}`) => ({ language, url });
const tracks = [track('de'), track('pt'), track('pt-BR'), track('en', '/en-1'), track('en', '/en-2'), track(null)];

beforeEach(() => {
  for (const id of Object.keys(chosenTracks)) delete chosenTracks[id];
});

describe('the track to show', () => {
  test.each([
    ['de', '/de'],
    ['en', '/en-1'],
    ['en-GB', '/en-1'],
    ['pt-BR', '/pt-BR'],
    ['pt-PT', '/pt'],
    ['und', '/null'],
    ['fr', undefined],
    ['', undefined],
    [null, undefined],
  ])('in the language %s is %s', (language, url) => {
    expect(trackOf(tracks, 'v', language)?.url).toBe(url);
  });

  test('is the one that was chosen for the video', () => {
    setChosenTrack('v', '/en-2');
    expect(trackOf(tracks, 'v', 'de')?.url).toBe('/en-2');
    expect(trackOf(tracks, 'other', 'de')?.url).toBe('/de');
  });

  test('is none where none was chosen', () => {
    setChosenTrack('v', null);
    expect(trackOf(tracks, 'v', 'de')).toBeNull();
    expect(areWanted('v', 'de')).toBe(false);
  });

  test('is that of the language where the chosen one has another address by now', () => {
    setChosenTrack('v', '/gone');
    expect(trackOf(tracks, 'v', 'de')?.url).toBe('/de');
  });
});

test('only the last choices count', () => {
  for (let video = 0; video <= 50; video += 1) setChosenTrack(`v${video}`, '/de');
  expect(['v0', 'v1', 'v50'].map((id) => areWanted(id, null))).toEqual([false, true, true]);
});
