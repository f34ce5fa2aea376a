import { expect, test } from 'vitest';
import { SubtitleConverter } from '#server/media/subtitle-converter.ts';
import { toWebVtt } from '#server/media/web-vtt.ts';

const film = (words: string) => Buffer.from(`1\n00:00:01,000 --> 00:00:02,000\n<font>${words}</font>\n`);
const goesOn = new AbortController().signal;

test('a thread makes of subtitles what is served, one file after the other', async () => {
  const converter = new SubtitleConverter();
  const files = ['Rain again.', 'Ça va ?'].map(film);
  const converted = await Promise.all(files.map((file) => converter.convert(file, goesOn)));
  expect(converted).toEqual(files.map((file) => Buffer.from(toWebVtt(file))));
});

test('who no longer waits ends the conversion, and the next one begins', async () => {
  const converter = new SubtitleConverter();
  const control = new AbortController();
  const large = converter.convert(Buffer.concat(Array.from({ length: 40_000 }, () => film('again'))), control.signal);
  const next = converter.convert(film('Here.'), goesOn);
  control.abort(new Error('nobody waits'));
  await expect(large).rejects.toThrow('nobody waits');
  expect(String(await next)).toContain('Here.');
});
