import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sniffContainer } from '#server/media/containers/container-sniff.ts';
import { readFile } from '#server/media/file-reading.ts';
import { ebmlHead } from '#tests/support/media/ebml-film.ts';
import { box, ftyp, putFile } from '#tests/support/media/videos.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

const asf = Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex');
const transportStream = Buffer.alloc(188 * 4, 0);
for (let packet = 0; packet < 4; packet += 1) transportStream[packet * 188] = 0x47;
const shortEbml = (docType: string) =>
  Buffer.concat([
    Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x80 | (docType.length + 3), 0x42, 0x82, 0x80 | docType.length]),
    Buffer.from(docType),
  ]);

describe('a container is told by its bytes:', () => {
  test.each([
    ['mp4', ftyp],
    ['mp4', box('styp', 'msdh')],
    ['mov', box('ftyp', 'qt  ')],
    ['mov', box('moov')],
    ['mov', box('wide')],
    ['webm', shortEbml('webm')],
    ['webm', ebmlHead('webm')],
    ['matroska', shortEbml('matroska')],
    ['matroska', ebmlHead('matroska')],
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
    'RIFF\0\0\0\0WEBP',
    'GIF89a',
    '\x89PNG\r\n',
    '\xff\xd8\xff\xe0',
    'MZ',
    '\x7fELF',
    '{"a":1}',
    'OggS',
    'ID3\x04',
    '\0\0\0\x03ftypisom',
  ])('%j is no video', (text) => {
    expect(sniffContainer(Buffer.from(text, 'latin1'))).toBeNull();
  });

  test('another document type of EBML is no video', () => {
    expect(sniffContainer(ebmlHead('secret'))).toBeNull();
  });
});

const disguised: [what: string, content: string][] = [
  ['an HLS playlist', '#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n'],
  ['an HLS playlist behind a byte order mark', '\ufeff#EXTM3U\nhttp://127.0.0.1/a.ts\n'],
  ['an ffconcat list', 'ffconcat version 1.0\nfile /etc/passwd\n'],
  ['a DASH manifest', '<?xml version="1.0"?><MPD><Period><BaseURL>http://127.0.0.1/</BaseURL></Period></MPD>'],
  ['a session description', 'v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\nm=video 5004 RTP/AVP 96\r\n'],
  ['a list of pictures', '/etc/passwd\n/etc/hosts\n'],
  ['a web page', '<!doctype html><script>alert(1)</script>'],
  ['a drawing', '<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>'],
  ['a PDF', '%PDF-1.7\n'],
  ['a ZIP archive', 'PK\x03\x04'],
  ['a RAR archive', 'Rar!\x1a\x07\x01'],
  ['a 7z archive', "7z\xbc\xaf'\x1c"],
  ['a gzip archive', '\x1f\x8b\x08'],
  ['a tar archive', `${'a.mp4'.padEnd(257, '\0')}ustar`],
];

test.each(disguised)('%s that calls itself a video is none', (_, content) => {
  const folder = temporaryFolder();
  for (const name of ['a.mp4', 'a.mov', 'a.avi', 'a.mkv', 'a.m4v', 'a.wmv', 'a.flv', 'a.webm']) {
    putFile(folder, name, Buffer.from(content.padEnd(2_000, '\n'), 'utf8'));
    expect(readFile(join(folder, name)).probe).toMatchObject({ reason: 'not_a_video', container: null });
  }
});
