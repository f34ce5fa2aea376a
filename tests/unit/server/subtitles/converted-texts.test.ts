import { expect, test } from 'vitest';
import { ConvertedTexts } from '#server/features/subtitles/converted-texts.ts';

const film = (words: string) => Buffer.from(`1\n00:00:01,000 --> 00:00:02,000\n${words}\n`);
const large = (letter: string) => {
  const cue = (at: number) => `00:00:${String(at % 60).padStart(2, '0')}.000 --> 00:01:00.000\n${letter.repeat(480)}\n`;
  return Buffer.from(`WEBVTT\n\n${Array.from({ length: 4_000 }, (_, at) => cue(at)).join('\n')}`);
};

test('a text is read and converted once', async () => {
  const texts = new ConvertedTexts();
  let reads = 0;
  const read = async () => {
    reads += 1;
    return film('Rain again.');
  };
  const found = [await texts.find('a', read), await texts.find('a', read)];
  expect(found[0]).toContain('Rain again.');
  expect([found[1], reads]).toEqual([found[0], 1]);
});

test('a file that is gone is asked for again', async () => {
  const texts = new ConvertedTexts();
  expect(await texts.find('a', async () => null)).toBeNull();
  expect(await texts.find('a', async () => film('Here.'))).toContain('Here.');
});

test('those that were used last are kept, however large all of them are', async () => {
  const texts = new ConvertedTexts();
  const reads: string[] = [];
  const find = (name: string) =>
    texts.find(name, async () => {
      reads.push(name);
      return large(name);
    });
  for (const name of ['a', 'b', 'c', 'd']) await find(name);
  await find('a');
  await find('e');
  await find('f');
  reads.length = 0;
  await find('a');
  await find('b');
  expect(reads).toEqual(['b']);
});
