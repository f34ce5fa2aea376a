import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { cuesAt, loadCues, readServedCues } from '#app/features/feed/subtitles/cues.ts';
import { recovered } from '#app/platform/link.ts';

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

describe('a track that the server does not give', () => {
  const refuse = (status: number) => {
    const answers = [new Response('{}', { status }), new Response(vtt)];
    const fetch = vi.fn(async () => answers.shift());
    vi.stubGlobal('fetch', fetch);
    onTestFinished(() => void vi.unstubAllGlobals());
    const shown = vi.fn();
    onTestFinished(loadCues('/api/videos/a/subtitles/0', shown));
    return { fetch, shown };
  };

  test.each([429, 500, 502, 503])('for now, with %s, is loaded once the server answers again', async (status) => {
    const { fetch, shown } = refuse(status);
    await vi.waitFor(() => {
      recovered.emit();
      expect(shown).toHaveBeenCalledWith(readServedCues(vtt));
    });
    expect(fetch).toHaveBeenCalledTimes(2);
  });

  test('because it is gone is not asked for again', async () => {
    const { fetch, shown } = refuse(404);
    for (let turn = 0; turn < 100; turn += 1) {
      await Promise.resolve();
      recovered.emit();
    }
    expect(fetch).toHaveBeenCalledTimes(1);
    expect(shown).not.toHaveBeenCalled();
  });
});
