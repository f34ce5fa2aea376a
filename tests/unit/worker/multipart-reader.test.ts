import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MultipartReader } from '../../../sw/multipart-reader.ts';

const boundary = '----WebKitFormBoundaryXyZ';
const type = `multipart/form-data; boundary=${boundary}`;
const encode = (text: string) => new TextEncoder().encode(text);

/** A stream of these bytes, cut at these places; `isCutOff`: it fails in place of ending. */
function streamOf(bytes: Uint8Array, cuts: readonly number[] = [], isCutOff = false): ReadableStream<Uint8Array> {
  const places = [0, ...[...cuts].sort((a, b) => a - b), bytes.length];
  return new ReadableStream({
    start(controller) {
      for (const [at, from] of places.slice(0, -1).entries()) controller.enqueue(bytes.slice(from, places[at + 1]));
      if (isCutOff) controller.error(new TypeError('cut off'));
      else controller.close();
    },
  });
}

/** Bytes as text, one character each. */
const latin1Of = (bytes: Uint8Array) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');

/** All parts with their bytes, as Latin-1 text. */
async function readAll(body: ReadableStream<Uint8Array>, contentType = type) {
  const reader = new MultipartReader(body, contentType);
  const all: { name: string; filename: string | null; type: string; text: string }[] = [];
  for (let part = await reader.next(); part !== null; part = await reader.next()) {
    let text = '';
    for (let bytes = await reader.read(); bytes !== null; bytes = await reader.read()) text += latin1Of(bytes);
    all.push({ ...part, text });
  }
  return all;
}

const headOf = (name: string, more = '') =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n`;
/** What looks almost like an end of a part. */
const tricky = `\r\n--${boundary.slice(0, -1)}\r\r\n\r\n--\r\n-`;
const whole =
  `${headOf('title')}\r\nwords\r\n` +
  `${headOf('files', '; filename="a %22film%22 é.mp4"')}Content-Type: video/mp4\r\n\r\n${tricky}\r\n` +
  `${headOf('files', '; filename=""')}Content-Type: application/octet-stream\r\n\r\n\r\n` +
  `--${boundary}--\r\n`;
const parts = [
  { name: 'title', filename: null, type: '', text: 'words' },
  { name: 'files', filename: 'a "film" é.mp4', type: 'video/mp4', text: tricky },
  { name: 'files', filename: '', type: 'application/octet-stream', text: '' },
];

describe('a form', () => {
  test('is read the same wherever its stream is split', async () => {
    const bytes = encode(whole);
    for (let cut = 0; cut <= bytes.length; cut += 1) expect(await readAll(streamOf(bytes, [cut]))).toEqual(parts);
    const everywhere = Array.from({ length: bytes.length }, (_, at) => at);
    expect(await readAll(streamOf(bytes, everywhere))).toEqual(parts);
  });

  test('that ends or fails at any byte before its final boundary is refused', async () => {
    const bytes = encode(whole);
    for (let length = 0; length < bytes.length - 2; length += 1)
      for (const isFailing of [false, true])
        await expect(readAll(streamOf(bytes.subarray(0, length), [], isFailing))).rejects.toThrow();
  });

  test('of any files has their bytes, as browsers write it', async () => {
    const anyBytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      // Pieces of delimiters.
      fc
        .array(fc.constantFrom('\r', '\n', '\r\n', '--', `\r\n--${boundary.slice(0, 9)}`, 'x'), { maxLength: 30 })
        .map((texts) => encode(texts.join(''))),
    );
    const files = fc.array(fc.record({ name: fc.string({ unit: 'grapheme', minLength: 1 }), bytes: anyBytes }), {
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(files, fc.array(fc.nat(), { maxLength: 6 }), async (sent, cuts) => {
        const form = new FormData();
        for (const { name, bytes } of sent)
          form.append('files', new File([bytes.slice()], name, { type: 'video/mp4' }));
        const request = new Request('https://fourfold.example/share', { method: 'POST', body: form });
        const body = new Uint8Array(await request.clone().arrayBuffer());
        const places = cuts.map((cut) => cut % (body.length + 1));
        const read = await readAll(streamOf(body, places), request.headers.get('content-type') ?? '');
        const formRead = (await request.formData()).getAll('files') as File[];
        expect(read.map(({ filename }) => filename)).toEqual(formRead.map(({ name }) => name));
        expect(read.map(({ text }) => text)).toEqual(sent.map(({ bytes }) => latin1Of(bytes)));
      }),
      { numRuns: 60 },
    );
  });

  test('has parts that are passed over unread', async () => {
    const reader = new MultipartReader(streamOf(encode(whole), [100, 200]), type);
    const names: (string | undefined)[] = [];
    for (let count = 0; count < 3; count += 1) names.push((await reader.next())?.name);
    expect([...names, await reader.next(), await reader.next()]).toEqual(['title', 'files', 'files', null, null]);
  });
});

test.each([
  ['no form', 'video/mp4'],
  ['another kind of parts', `multipart/mixed; boundary=${boundary}`],
  ['no boundary', 'multipart/form-data'],
  ['an empty boundary', 'multipart/form-data; boundary=""'],
  ['a boundary of 71 characters', `multipart/form-data; boundary=${'b'.repeat(71)}`],
  ['a boundary with a line break', 'multipart/form-data; boundary="a\r\nb"'],
])('a content type with %s is refused before anything is read', (_, contentType) => {
  const body = streamOf(encode(whole));
  expect(() => new MultipartReader(body, contentType)).toThrow();
  expect(body.locked).toBe(false);
});

test('a boundary may be quoted, and has up to 70 characters', async () => {
  const long = 'b'.repeat(70);
  const body = encode(whole.split(boundary).join(long));
  expect((await readAll(streamOf(body), `multipart/form-data; boundary="${long}"`)).length).toBe(3);
});

test.each([
  ['begins with something else', `x${whole}`],
  ['has another boundary', whole.split(boundary).join('other')],
  ['has something behind a boundary', whole.replace(`${boundary}\r\n`, `${boundary} \r\n`)],
  ['has a part without headers', `--${boundary}\r\n\r\nx\r\n--${boundary}--`],
  ['has a part without a name', whole.replace('; name="title"', '; x="title"')],
  ['has a part of another kind', whole.replace('form-data; name="title"', 'attachment; name="title"')],
  ['has headers of more than 16 KiB', whole.replace('Content-Type', `X: ${'x'.repeat(16_384)}\r\nContent-Type`)],
  ['has headers without an end', `${headOf('files')}X: ${'x'.repeat(40_000)}`],
  ['has more than 1,000 parts', `${`${headOf('a')}\r\n\r\n`.repeat(1_001)}--${boundary}--`],
])('a form is refused that %s', async (_, text) => {
  await expect(readAll(streamOf(encode(text)))).rejects.toThrow();
});
