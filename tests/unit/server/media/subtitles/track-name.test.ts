import { expect, test } from 'vitest';
import { readTrackName } from '#server/media/track-name.ts';

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
