import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { sniffContainer } from '#server/media/container-sniff.ts';
import type { ByteReader } from '#server/media/file-shape.ts';
import { probe } from '#server/media/probe.ts';
import { createProber, ProberClosed } from '#server/media/prober.ts';
import { sayWhyUnplayable, unplayable } from '#server/media/unplayable.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';
import { box, ftyp, largeVideo, putFile, smallVideo } from '#tests/support/videos.ts';

const whole = readFileSync(smallVideo());

function reader(bytes: Uint8Array): ByteReader {
  return { size: bytes.length, read: async (start, end) => bytes.slice(start, end) };
}

const ebml = (docType: string) =>
  Buffer.concat([Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x80 | (docType.length + 3), 0x42, 0x82, 0x80 | docType.length]), Buffer.from(docType)]);
const asf = Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex');
const transportStream = Buffer.alloc(188 * 4, 0);
for (let packet = 0; packet < 4; packet += 1) transportStream[packet * 188] = 0x47;

describe('a container is told by its bytes:', () => {
  test.each([
    ['mp4', ftyp],
    ['mp4', box('styp', 'msdh')],
    ['mov', box('ftyp', 'qt  ')],
    ['mov', box('moov')],
    ['mov', box('wide')],
    ['webm', ebml('webm')],
    ['matroska', ebml('matroska')],
    ['avi', Buffer.from('RIFF\x10\0\0\0AVI LIST')],
    ['asf', asf],
    ['flv', Buffer.from('FLV\x01\x05')],
    ['mpeg-ps', Buffer.from([0, 0, 1, 0xba])],
    ['mpeg-ts', transportStream],
  ])('%s', (container, bytes) => {
    expect(sniffContainer(bytes)).toBe(container);
  });

  test.each([
    '',
    'a',
    '<!doctype html>',
    '<svg xmlns="http://www.w3.org/2000/svg">',
    '#EXTM3U\n',
    'ffconcat version 1.0',
    'PK\x03\x04',
    '%PDF-1.7',
    'RIFF\0\0\0\0WEBP',
    'v=0\r\no=',
    'GIF89a',
    '\x89PNG\r\n',
    'MZ',
    '{"a":1}',
    'OggS',
    '\0\0\0\x03ftypisom',
  ])('%j is no video', (text) => {
    expect(sniffContainer(Buffer.from(text, 'latin1'))).toBeNull();
  });

  test('another document type of EBML is no video', () => {
    expect(sniffContainer(ebml('secret'))).toBeNull();
  });
});

describe('a probe', () => {
  test('of a real video says what players need to know', async () => {
    expect(await probe(reader(readFileSync(largeVideo())))).toMatchObject({ container: 'mp4', videoCodec: 'avc', width: 960, height: 540, reason: null });
  });

  test.each([
    ['nothing', Buffer.alloc(0), 'empty'],
    ['text', Buffer.from('just text'), 'not_a_video'],
    ['a header alone', ftyp, 'no_index'],
    ['no moov', Buffer.concat([ftyp, box('mdat', 'pictures')]), 'no_index'],
    ['no pictures', Buffer.concat([ftyp, box('moov')]), 'truncated'],
    ['a moov of noise', Buffer.concat([ftyp, box('moov', Buffer.alloc(64, 0xee)), box('mdat', 'x')]), 'no_index'],
    ['a box that ends beyond the file', Buffer.concat([ftyp, box('mdat', 'x', 5_000)]), 'truncated'],
    ['a box of no size', Buffer.concat([ftyp, box('moov', '', 0)]), 'truncated'],
    ['a box that is smaller than its head', Buffer.concat([ftyp, box('free', '', 4), whole]), 'no_index'],
    ['AVI', Buffer.from('RIFF\x10\0\0\0AVI LIST'), 'container_avi'],
    ['WMV', asf, 'container_asf'],
    ['FLV', Buffer.from('FLV\x01\x05\0\0\0\x09'), 'container_flv'],
    ['WebM without a segment', ebml('webm'), 'truncated'],
  ])('of %s gives a reason', async (_, bytes, reason) => {
    expect((await probe(reader(bytes))).reason).toBe(reason);
  });

  test('of a video that was cut anywhere finds it unplayable', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: whole.length - 1 }), async (length) => {
        expect((await probe(reader(whole.subarray(0, length)))).reason).not.toBeNull();
      }),
    );
  });
});

describe('the probing thread', () => {
  function prober(script?: string, workMs = 60_000) {
    const folder = temporaryFolder();
    const made = createProber(script === undefined ? {} : { script: new URL(`file://${putFile(folder, 'thread.mjs', script)}`), workMs });
    onTestFinished(() => made.close());
    return made;
  }

  test('reads several files that are asked for at once', async () => {
    const { probe: ask } = prober();
    const reasons = (await Promise.all([smallVideo(), '/no/such/file.mp4', smallVideo(1)].map((file) => ask(Buffer.from(file))))).map((found) => found.reason);
    expect(reasons).toEqual([null, 'unreadable', null]);
  });

  test('reads files in a process that is watched for changes', async () => {
    vi.stubEnv('WATCH_REPORT_DEPENDENCIES', '1');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect((await prober().probe(Buffer.from(smallVideo()))).reason).toBeNull();
  });

  const start = "import { parentPort } from 'node:worker_threads'; parentPort.postMessage('up');";

  test('that hangs is given up, and the next file gets a new one', async () => {
    const { probe: ask } = prober(`${start} parentPort.on('message', () => { for (;;); });`, 20);
    expect((await ask(Buffer.from('a'))).reason).toBe('too_complex');
    expect((await ask(Buffer.from('b'))).reason).toBe('too_complex');
  });

  test('that is ended with the server gives no verdict on the file it was reading', async () => {
    const made = prober(`${start} parentPort.on('message', () => { for (;;); });`);
    const asked = [made.probe(Buffer.from('a')), made.probe(Buffer.from('b'))];
    const refused = Promise.all(asked.map((answer) => expect(answer).rejects.toBeInstanceOf(ProberClosed)));
    await made.close();
    await refused;
  });

  test('that dies takes nothing with it', async () => {
    const { probe: ask } = prober(`${start} parentPort.on('message', () => { throw new Error('died'); });`);
    expect((await ask(Buffer.from('a'))).reason).toBe('too_complex');
  });

  test('that eats memory is ended', async () => {
    const { probe: ask } = prober(`${start} parentPort.on('message', () => { const all = []; for (;;) all.push(new Array(1e6).fill({})); });`);
    expect((await ask(Buffer.from('a'))).reason).toBe('too_complex');
  });
});

test('a video with some bytes changed never ends the server, and always comes to an answer', async () => {
  const file = join(temporaryFolder(), 'changed.mp4');
  const prober = createProber({ workMs: 300 });
  onTestFinished(() => prober.close());
  const change = fc.tuple(fc.nat(whole.length - 1), fc.nat(255));
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (changes) => {
      const bytes = Buffer.from(whole);
      for (const [at, value] of changes) bytes[at] = value;
      writeFileSync(file, bytes);
      const { reason, width, height } = await prober.probe(Buffer.from(file));
      expect(reason !== null || (Number(width) > 0 && Number(height) > 0)).toBe(true);
    }),
    { numRuns: 60 },
  );
}, 60_000);

test('a reason that this version does not know still has a sentence', () => {
  expect(sayWhyUnplayable('from_the_future')).toMatch(/\.$/);
  expect(sayWhyUnplayable('toString')).toMatch(/\.$/);
  for (const sentence of Object.values(unplayable)) expect(sentence).toMatch(/^[A-Z].*\.$/);
});
