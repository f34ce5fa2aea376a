import { limits } from '#contract/limits.ts';

/** What ffmpeg says of one track: its line, and what stands further indented below it. */
export interface StreamLines {
  /** Its place in the file. */
  index: number;
  kind: 'Video' | 'Audio' | 'Subtitle';
  codec: string;
  /** What follows the codec. */
  facts: string;
  /** As the file has it: mostly ISO 639, sometimes BCP 47. */
  language: string | null;
  title: string | null;
  details: string;
}

/** No two of its parts take the same signs: the file decides what stands between them. */
const streamLine = /^ {2}Stream #0:(\d+)([^\d:][^:]*)?: (Video|Audio|Subtitle): (\w+)(.*)$/;
const anyStream = /^ {2}Stream #0:(\d+)/;

/**
 * Titles and comments of the file stand among the lines, further indented, so each one is read from its very beginning.
 * The name of a tag can break a line and begin a new one: where a track is told twice, nothing is believed.
 */
export function readStreamLines(lines: readonly string[]): StreamLines[] | null {
  const starts = lines.flatMap((line, at) => (anyStream.test(line) ? [at] : []));
  const indexes = starts.map((at) => anyStream.exec(lines[at] ?? '')?.[1]);
  if (new Set(indexes).size !== indexes.length) return null;
  return starts.flatMap((at, place) => readStream(lines[at] ?? '', lines.slice(at + 1, starts[place + 1])) ?? []);
}

function readStream(line: string, below: readonly string[]): StreamLines | null {
  const [, index, between = '', kind, codec, facts] = streamLine.exec(line) ?? [];
  if (codec === undefined || facts === undefined) return null;
  return {
    index: Number(index),
    kind: kind as StreamLines['kind'],
    codec,
    facts,
    language: readLanguage(between),
    title: readTitle(below),
    details: below.join('\n'),
  };
}

function readLanguage(between: string): string | null {
  const [, language] = /\(([A-Za-z\d-]+)\)/.exec(between) ?? [];
  return language === undefined || language === 'und' || language.length > limits.languageCharacters ? null : language;
}

const titleCharacters = 100;

/** On one line, without anything that is not seen. */
function readTitle(below: readonly string[]): string | null {
  const titles = below.flatMap((line) => /^ {8}title {11}: (.*)$/.exec(line)?.[1] ?? []);
  const plain = (titles[0] ?? '')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd]/gu, '')
    .trim()
    .slice(0, titleCharacters);
  return plain === '' ? null : plain;
}
