import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '#server/clock.ts';
import type { Encoder } from '#server/media/encode/encoder.ts';
import { createEncoder } from '#server/media/encode/ffmpeg-encoder.ts';
import { createFfmpeg, FfmpegFailure } from '#server/media/ffmpeg/ffmpeg.ts';
import { createWorkFolders } from '#server/media/ffmpeg/work-folders.ts';
import { probe } from '#server/media/probe.ts';
import { containerEntries } from '#tests/support/media/corpus/container-entries.ts';
import type { CorpusEntry } from '#tests/support/media/corpus/corpus-entry.ts';
import { corpusFile } from '#tests/support/media/corpus/corpus-entry.ts';
import type { DecodedFile } from '#tests/support/media/corpus/decode-files.ts';
import { decodeFiles } from '#tests/support/media/corpus/decode-files.ts';
import { hostileEntries } from '#tests/support/media/corpus/hostile-entries.ts';
import { oddEntries } from '#tests/support/media/corpus/odd-entries.ts';
import { nameColours, namedPattern } from '#tests/support/media/corpus/seen-colours.ts';
import { costOfChildren } from '#tests/support/processes/children-cost.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';
import { countedSource } from '../containers/counted-source.ts';

const atOnce = 2;
/** Ends what hangs: a slow machine encodes them all, too. */
const encodedWithinMs = 30 * 60_000;
/** Of a file that is refused. */
const maxCost = { processorMs: 2_000, mebibytes: 200 };
let encoder: Encoder;
let work = '';
let kept = '';

beforeAll(() => {
  const folder = temporaryFolder(afterFile);
  work = join(folder, 'work');
  kept = folder;
  const folders = createWorkFolders(work, systemClock);
  const ffmpeg = createFfmpeg({ configured: undefined, searchPath: '', folders });
  // Hardware of this machine has tests of its own.
  encoder = createEncoder({ ffmpeg, folders, devices: join(folder, 'none'), threads: 1 });
});

/** Of the plain ones each extension, codec and sound once: what they add to each other is little. */
function chooseEntries(): CorpusEntry[] {
  const seen = new Set<string>();
  const plain = containerEntries.filter(({ file, recipe: { picture, sound = '' } }) => {
    const facts = [extname(file), picture, sound];
    const isNew = facts.some((fact) => !seen.has(fact));
    for (const fact of facts) seen.add(fact);
    return isNew;
  });
  return [...plain, ...oddEntries];
}

/** Encodes one file, and keeps what was made of it. @returns the paths of the files */
async function encode(name: string): Promise<string[]> {
  await using file = await open(corpusFile(name));
  const order = {
    file,
    renditions: ['grid'] as const,
    durationMs: null,
    maxBytes: 50_000_000,
    signal: new AbortController().signal,
    report: () => {},
  };
  return await encoder.encode(order, async ({ files }) =>
    files.map(({ file: made, rendition }) => {
      const copy = join(kept, `${name}.${rendition}.mp4`);
      copyFileSync(made, copy);
      return copy;
    }),
  );
}

describe('the encoder', () => {
  const entries = chooseEntries();
  const encodings = new Map<string, { file: string; decoded: DecodedFile | undefined }[]>();
  const failures = new Map<string, unknown>();

  beforeAll(async () => {
    const waiting = [...entries];
    const encodeNext = async () => {
      for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) {
        const { file, hasSound } = entry;
        await encode(file).then(
          (files) => made.push(...files.map((made) => ({ entry: file, file: made, hasSound }))),
          (error: unknown) => failures.set(file, error),
        );
      }
    };
    const made: { entry: string; file: string; hasSound: boolean }[] = [];
    await Promise.all(Array.from({ length: atOnce }, encodeNext));
    const decoded = decodeFiles(made);
    for (const [place, { entry, file }] of made.entries())
      encodings.set(entry, [...(encodings.get(entry) ?? []), { file, decoded: decoded[place] }]);
  }, encodedWithinMs);

  test.each(entries)('makes an encoding of $file that every device plays', (entry) => {
    expect(failures.get(entry.file)).toBeUndefined();
    const made = encodings.get(entry.file) ?? [];
    expect(made).not.toEqual([]);
    for (const { file, decoded } of made) {
      const found = probe(countedSource(readFileSync(file)));
      expect(found).toMatchObject({ container: 'mp4', videoCodec: 'avc', reason: null });
      expect(found.audioCodec).toBe(entry.hasSound ? 'aac' : null);
      expect(Math.abs(Number(found.durationMs) - entry.durationMs)).toBeLessThanOrEqual(200);
      const lines = Math.min(entry.width, entry.height);
      const scale = Math.min(1, 540 / lines);
      // Sides are even.
      expect(Math.abs(Number(found.width) - entry.width * scale)).toBeLessThanOrEqual(1);
      expect(Math.abs(Number(found.height) - entry.height * scale)).toBeLessThanOrEqual(1);
      expect(decoded && nameColours(entry, decoded.colours)).toEqual(namedPattern);
      if (entry.hasSound) expect(Math.abs(Number(decoded?.tone) - 440)).toBeLessThanOrEqual(10);
    }
  });

  test('leaves nothing behind, and wrote no attachment of a file', () => {
    expect(readdirSync(work)).toEqual([]);
    expect(readdirSync(kept).filter((name) => name.includes('attached'))).toEqual([]);
  });
});

test.each(hostileEntries.refusedByDecoder)('the encoder gives up $file, at little cost', async ({ file }) => {
  await encoder.facts();
  let failure: unknown;
  const { processorMs, mebibytes } = await costOfChildren(async () => {
    failure = await encode(file).catch((error: unknown) => error);
  });
  expect(failure).toBeInstanceOf(FfmpegFailure);
  expect(readdirSync(work)).toEqual([]);
  expect(processorMs).toBeLessThanOrEqual(maxCost.processorMs);
  expect(mebibytes).toBeGreaterThan(0);
  expect(mebibytes).toBeLessThanOrEqual(maxCost.mebibytes);
});
