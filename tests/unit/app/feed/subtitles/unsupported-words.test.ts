import { afterEach, expect, test, vi } from 'vitest';
import { unsupportedWords } from '#app/features/feed/subtitles/subtitle-tracks.ts';

const pictures = (language: string | null) => ({ kind: 'picture-subtitles', language }) as const;
const audio = (language: string | null) => ({ kind: 'audio', language }) as const;

afterEach(() => vi.unstubAllGlobals());

test.each([
  [[], null],
  [[pictures(null)], 'Not supported: picture subtitles'],
  [[pictures('en'), pictures('en'), pictures('de')], 'Not supported: picture subtitles (English, German)'],
  [[audio(null)], 'Not supported: 1 more audio track'],
  [
    [audio('fr'), pictures('en'), audio(null)],
    'Not supported: picture subtitles (English), 2 more audio tracks (French)',
  ],
])('of %j a person reads %s', (tracks, words) => {
  expect(unsupportedWords(tracks)).toBe(words);
});

test('an engine that knows no names of languages shows their tags', () => {
  vi.stubGlobal('Intl', {});
  expect(unsupportedWords([pictures('en')])).toBe('Not supported: picture subtitles (en)');
});
