import type { Shelf } from './journey.ts';

const names = ['hue-000', 'hue-090', 'hue-180', 'hue-240', 'hue-300'];

const srt = (text: string) => `1\n00:00:00,000 --> 00:10:00,000\n${text}\n`;

/** Five videos that are spoken to their ends, in two languages. */
export const subtitledShelf: Shelf = {
  names,
  beside: Object.fromEntries(
    names.flatMap((name) => [
      [`${name}.en.srt`, srt('It is <i>raining</i> again.\nShall we go?')],
      [`${name}.ger.srt`, srt('Es regnet schon wieder.')],
    ]),
  ),
};
