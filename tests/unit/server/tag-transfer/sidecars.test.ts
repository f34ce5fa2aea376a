import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { readDownloaderJson, readNfo, readSidecars } from '#server/features/tag-transfer/sidecars.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

describe('a .nfo', () => {
  test('has tags and genres', () => {
    const text = `<?xml version="1.0"?><movie><title>Up</title><genre>Family / Adventure</genre><tag>House &amp; Home</tag>
      <tag>Balloons</tag><actor><tag>not this</tag></actor></movie>
      https://example.org/title/1`;
    expect(readNfo(text, 9)).toEqual(['House & Home', 'Balloons', 'Family', 'Adventure']);
  });

  test.each([
    '',
    'https://example.org/title/1',
    '<movie><ta',
    '<movie>'.repeat(20_000),
    '<!DOCTYPE m [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><movie><tag>&b;</tag></movie>',
    '<!DOCTYPE m SYSTEM "file:///etc/passwd"><movie><tag>x</tag></movie>',
    '\0\u0001',
  ])('that is none, or that brings definitions, has nothing: %#', (text) => {
    expect(readNfo(text, 9)).toEqual([]);
  });
});

describe('the JSON of a downloader', () => {
  test('has tags, categories and genres, as a list or with commas', () => {
    expect(
      readDownloaderJson('{"tags":["sea",7,"sun"],"categories":["Travel"],"genres":"a, b","title":"x"}', 9),
    ).toEqual(['sea', 'sun', 'Travel', 'a', ' b']);
  });

  test.each(['', '[]', 'null', '7', '{"tags":{"a":1}}', '{'])('%j has nothing', (text) => {
    expect(readDownloaderJson(text, 9)).toEqual([]);
  });
});

describe('beside a video', () => {
  const place = (folder: string, name: string) => ({ folder, file: Buffer.from(join(folder, name)) });

  test('all forms are read, and each name counts once', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'a.nfo'), '<movie><tag>Sea</tag></movie>');
    writeFileSync(join(folder, 'a.info.json'), '{"tags":["SEA","Sun"]}');
    writeFileSync(join(folder, 'a.mp4.json'), '{"tags":["Ice","\\u202ebad",""]}');
    expect(await readSidecars(place(folder, 'a.mp4'))).toEqual(['Sea', 'Sun', 'Ice']);
    expect(await readSidecars(place(folder, 'b.mp4'))).toEqual([]);
  });

  test('of a file with a million names the first 1,000 are looked at, and 50 are read', async () => {
    const folder = temporaryFolder();
    const names = (count: number, start = '') => Array.from({ length: count }, (_, at) => `${start}${at}`);
    const unfit = names(999, '\u202e');
    writeFileSync(join(folder, 'a.json'), JSON.stringify({ tags: names(300_000) }));
    writeFileSync(join(folder, 'b.json'), JSON.stringify({ tags: [...unfit, 'last', 'beyond'] }));
    writeFileSync(join(folder, 'c.json'), JSON.stringify({ tags: [...unfit, 'last', 'beyond'].join(',') }));
    writeFileSync(
      join(folder, 'd.nfo'),
      `<movie>${names(10_000)
        .map((name) => `<tag>${name}</tag>`)
        .join('')}</movie>`,
    );
    const looks = vi.spyOn(String.prototype, 'normalize');
    expect(await readSidecars(place(folder, 'a.mp4'))).toEqual(names(50));
    expect(await readSidecars(place(folder, 'b.mp4'))).toEqual(['last']);
    expect(await readSidecars(place(folder, 'c.mp4'))).toEqual(['last']);
    expect(await readSidecars(place(folder, 'd.mp4'))).toEqual(names(50));
    expect(looks.mock.calls.length).toBeLessThan(10_000);
    looks.mockRestore();
  });

  test('a file outside of the library, a folder and a huge file are passed over', async () => {
    const [folder, outside] = [temporaryFolder(), temporaryFolder()];
    writeFileSync(join(outside, 'x.json'), '{"tags":["secret"]}');
    symlinkSync(join(outside, 'x.json'), join(folder, 'a.json'));
    mkdirSync(join(folder, 'a.nfo'));
    writeFileSync(join(folder, 'a.info.json'), JSON.stringify({ tags: ['big'], rest: 'x'.repeat(4 * 1024 * 1024) }));
    expect(await readSidecars(place(folder, 'a.mp4'))).toEqual([]);
  });

  test('a name without extension keeps its dots', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'v1.2'));
    writeFileSync(join(folder, 'v1.2', 'clip.nfo'), '<movie><tag>Sea</tag></movie>');
    expect(await readSidecars(place(folder, 'v1.2/clip'))).toEqual(['Sea']);
  });
});
