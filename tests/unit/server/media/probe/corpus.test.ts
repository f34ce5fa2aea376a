import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { listNeeds } from '#contract/rules/media-needs.ts';
import { probe } from '#server/media/probe.ts';
import { corpus } from '#tests/support/media/corpus/corpus.ts';
import { corpusFile } from '#tests/support/media/corpus/corpus-entry.ts';
import { hostileEntries } from '#tests/support/media/corpus/hostile-entries.ts';
import { countedSource, maxBytesRead } from '../containers/counted-source.ts';

const { refusedByHeader, refusedByDecoder } = hostileEntries;
const hostile = [...refusedByHeader, ...refusedByDecoder];

test('the corpus is what is committed', () => {
  const files = [...corpus, ...hostile].map(({ file }) => file).sort();
  expect(readdirSync(corpusFile()).sort()).toEqual(files);
});

test.each(hostile)('$file is refused because of $reason, for little work', ({ file, reason }) => {
  const source = countedSource(readFileSync(corpusFile(file)));
  expect(probe(source).reason).toBe(reason);
  expect(source.bytesRead).toBeLessThanOrEqual(maxBytesRead);
});

test.each(corpus)('$file is found to be what it is', (entry) => {
  const found = probe(countedSource(readFileSync(corpusFile(entry.file))));
  expect(found.reason).toBe(entry.reason);
  // What the headers of the other containers say is not read.
  if (found.width === null) return;
  expect(found).toMatchObject({ width: entry.width, height: entry.height });
  expect(Math.abs(Number(found.durationMs) - entry.durationMs)).toBeLessThanOrEqual(200);
  if (entry.reason !== null) return;
  expect(found.audioCodec !== null).toBe(entry.hasSound);
  expect(listNeeds(found.needs)).toEqual(entry.needs);
});
