import { expect, test } from 'vitest';
import { readTrackName, toInnerName } from '#server/media/track-name.ts';

test.each([
  ['', null, 'Subtitles'],
  ['de', 'de', 'German'],
  ['DE', 'de', 'German'],
  ['ger', 'de', 'German'],
  ['deu', 'de', 'German'],
  ['pt-BR', 'pt-BR', 'Brazilian Portuguese'],
  ['pt_BR', 'pt-BR', 'Brazilian Portuguese'],
  ['en.forced', 'en', 'English (forced)'],
  ['eng.SDH', 'en', 'English (for the hard of hearing)'],
  ['en.default', 'en', 'English'],
  ['hi', 'hi', 'Hindi'],
  ['en.hi', 'en', 'English (for the hard of hearing)'],
  ['forced', null, 'Subtitles (forced)'],
  ['sdh', null, 'Subtitles (for the hard of hearing)'],
])('the middle %j names the language %s and reads %s', (middle, language, label) => {
  expect(readTrackName(middle)).toEqual({ language, label });
});

test.each(['director', 'extended', 'part2', 'en.director', 'en.forced.x', 'forced.en', 'x', '.', 'constructor', '😀'])(
  '%j is part of another video’s name',
  (middle) => {
    expect(readTrackName(middle)).toBeNull();
  },
);

test.each([
  ['eng', 'eng', 'English'],
  ['eng', 'eng (forced)', 'English (forced)'],
  ['eng', 'english', 'english'],
  ['ger', 'german SDH', 'german SDH'],
  ['en', 'en español', 'en español'],
  [null, 'Track 5', 'Track 5'],
])('a track in the language %s with the stored label %j is listed as %j', (language, stored, label) => {
  expect(toInnerName({ language, label: stored }).label).toBe(label);
});
