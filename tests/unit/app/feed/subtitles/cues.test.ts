import { describe, expect, test } from 'vitest';
import { cuesAt, readServedCues } from '#app/features/feed/subtitles/cues.ts';

/** As `server/media/subtitles/web-vtt.ts` writes it. */
const vtt = 'WEBVTT\n\n00:00:01.000 --> 00:00:02.500\nOne\nline\n\n01:00:03.000 --> 01:00:04.000\n<i>Two</i>\n';

describe('the cues of a track', () => {
  test('are read from what the server writes', () => {
    expect(readServedCues(vtt)).toEqual([
      { start: 1, end: 2.5, text: 'One\nline' },
      { start: 3603, end: 3604, text: '<i>Two</i>' },
    ]);
  });

  test.each(['', 'WEBVTT\n', '<!doctype html>', 'WEBVTT\n\nx\n\n1 --> x\ny'])('are none in %j', (text) => {
    expect(readServedCues(text)).toEqual([]);
  });

  test('stand there from their start until just before their end, several at a time', () => {
    const [one, two, again] = [
      { start: 1, end: 3, text: 'one' },
      { start: 2, end: 4, text: 'two' },
      { start: 2, end: 4, text: 'two' },
    ];
    const cues = [one, two, again];
    expect([0, 1, 2, 3, 4].map((seconds) => cuesAt(cues, seconds))).toEqual([
      { cues: [], changesAt: 1 },
      { cues: [one], changesAt: 2 },
      { cues: [one, two], changesAt: 3 },
      { cues: [two], changesAt: 4 },
      { cues: [], changesAt: Number.POSITIVE_INFINITY },
    ]);
  });
});
