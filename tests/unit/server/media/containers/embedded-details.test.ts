import { copyFileSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readFile } from '#server/media/file-reading.ts';
import { probe } from '#server/media/probe.ts';
import { ebmlHead, element, info, pictureTrack, segment, tracks } from '#tests/support/media/ebml-film.ts';
import { makeWithFfmpeg } from '#tests/support/media/ffmpegs.ts';
import { putFile, smallVideo } from '#tests/support/media/videos.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';
import { countedSource, maxBytesRead } from './counted-source.ts';

const title = 'Élan – 東京 🌊';
const description = 'A day by the sea.';
const recordedAt = Date.UTC(2019, 7, 3, 14, 15, 16);

/** A real file with details, written by ffmpeg. */
function describedFile(name: string, ...options: string[]): Buffer {
  const picture = ['-f', 'lavfi', '-i', 'color=red:s=64x64:d=1:r=5'];
  const texts = [`title=${title}`, `comment=${description}`, `description=${description}`];
  const metadata = [...texts, `creation_time=${new Date(recordedAt).toISOString()}`];
  const given = metadata.flatMap((text) => ['-metadata', text]);
  return readFileSync(makeWithFfmpeg(join(temporaryFolder(), name), ...picture, ...given, ...options));
}

const codec = (name: string) => (name.endsWith('.webm') ? ['-c:v', 'libvpx'] : ['-c:v', 'libx264']);

test.each(['a.mp4', 'a.mov', 'a.mkv', 'a.webm'])('title, description and date are read from %s', (name) => {
  const { details, reason } = probe(countedSource(describedFile(name, ...codec(name))));

  expect(reason).toBeNull();
  expect(details).toEqual({ title, description, recordedAt });
});

test('the keys of QuickTime are read, with the time zone of the recording', () => {
  const date = ['-metadata', 'com.apple.quicktime.creationdate=2019-08-03T14:15:16+0200'];
  const file = describedFile('a.mov', '-c:v', 'libx264', '-movflags', 'use_metadata_tags', ...date);

  expect(probe(countedSource(file)).details.recordedAt).toBe(recordedAt - 2 * 3_600_000);
});

test('a phone that never set its clock gives no date', () => {
  const file = readFileSync(smallVideo());

  expect(probe(countedSource(file)).details).toEqual({ title: null, description: null, recordedAt: null });
});

test('a long text is read up to what a description may have', () => {
  const text = (name: string, value: string) =>
    element(0x67c8, Buffer.concat([element(0x45a3, name), element(0x4487, value)]));
  const tags = element(0x1254c367, element(0x7373, text('DESCRIPTION', '🌊'.repeat(500_000))));
  const parts = [info(), tags, tracks([pictureTrack()]), element(0x1f43b675, 'pictures')];
  const source = countedSource(Buffer.concat([ebmlHead(), segment(parts)]));

  expect(probe(source).details.description).toBe('🌊'.repeat(2_000));
  expect(source.bytesRead).toBeLessThan(200_000);
});

test.each([
  ['a.mp4', Buffer.from('udta'), 0],
  ['a.mkv', Buffer.from('1254c367', 'hex'), 8],
])('no damage to the details of %s makes it unplayable', (name, mark, sizeBytes) => {
  const whole = describedFile(name, ...codec(name));
  const start = whole.lastIndexOf(mark) + mark.length + sizeBytes;
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat({ max: 70 }), fc.nat({ max: 255 })), { maxLength: 4 }), (changes) => {
      const bytes = Buffer.from(whole);
      for (const [offset, value] of changes) bytes[start + offset] = value;
      const source = countedSource(bytes);
      expect(probe(source).reason).toBeNull();
      expect(source.bytesRead).toBeLessThan(maxBytesRead);
    }),
  );
});

test('texts beside a video are read where they are real files of a usual size', () => {
  const folder = temporaryFolder();
  const read = (name: string) => {
    const file = join(folder, name);
    copyFileSync(smallVideo(), file);
    return readFile(file, true).sidecar;
  };
  putFile(folder, 'a.nfo', '<movie><title>Sea &amp; sand</title><plot>Waves.</plot></movie>\nhttps://example.com');
  putFile(folder, 'b.info.json', JSON.stringify({ title: 'By the sea', description: 'One\nTwo' }));
  putFile(folder, 'c.nfo', `<!DOCTYPE x [<!ENTITY a "b">]><movie><title>&a;</title></movie>`);
  putFile(folder, 'd.info.json', JSON.stringify({ title: 'x'.repeat(5_000_000) }));
  putFile(folder, 'e.info.json', '{"title": 7}');
  putFile(temporaryFolder(), 'elsewhere', '');
  symlinkSync(putFile(temporaryFolder(), 'secret.json', '{"title":"secret"}'), join(folder, 'f.info.json'));

  expect(read('a.mp4')).toEqual({ title: 'Sea & sand', description: 'Waves.' });
  expect(read('b.mp4')).toEqual({ title: 'By the sea', description: 'One\nTwo' });
  for (const name of ['c.mp4', 'd.mp4', 'e.mp4', 'f.mp4', 'g.mp4'])
    expect(read(name)).toEqual({ title: null, description: null });
});
