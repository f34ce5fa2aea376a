import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ExportedDetails, ExportedTag, TransferLine } from '#server/features/tag-transfer/transfer-formats.ts';
import { readCsv, writeCsv } from '#server/features/tag-transfer/transfer-formats.ts';
import { readJson, writeJson } from '#server/features/tag-transfer/transfer-json.ts';

interface PlainTag {
  name: string;
  description: string;
  color: string;
  aliases: string[];
  videos: string[];
}

async function collect<T>(items: AsyncIterable<T> | Iterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function* exported(tags: readonly PlainTag[]): AsyncGenerator<ExportedTag> {
  for (const { videos, ...tag } of tags) yield { ...tag, videos: pagesOf(videos) };
}

async function* pagesOf<Item>(videos: readonly Item[]): AsyncGenerator<Item[]> {
  for (let from = 0; from < videos.length; from += 2) yield videos.slice(from, from + 2);
}

const withoutLines = (lines: readonly TransferLine[]) => lines.map(({ line, ...rest }) => rest);

const linesOf = (tags: readonly PlainTag[]) =>
  tags.flatMap(({ name, description, color, aliases, videos }) => [
    { kind: 'tag', name, description: description || null, color: color || null, aliases },
    ...videos.map((path) => ({ kind: 'link', name, path })),
  ]);

const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).map((value) => value.trim() || 'x');
/** Cells that spreadsheets and parsers stumble over. */
const nasty = fc.oneof(
  text,
  fc.constantFrom('=1+1', '+a', '-b', '@c', "'=d", "''-e", 'a|b', 'a\\', '\\|', 'a,b', 'a"b', 'a\nb', 'a\r\nb', 'é;ü'),
);
const plainTag = fc.record({
  name: nasty,
  description: fc.oneof(fc.constant(''), nasty),
  color: fc.constantFrom('#3B82F6', '#000000'),
  aliases: fc.array(nasty, { maxLength: 3 }),
  videos: fc.array(nasty, { maxLength: 5 }),
});

const detailsOf = (videos: readonly ExportedDetails[]) => videos.map((video) => ({ kind: 'details', ...video }));
const orNull = fc.option(nasty, { nil: null });
const toldVideo = fc.record({ path: nasty, title: orNull, description: orNull });

describe('what was written is read again as it was', () => {
  test('as CSV', async () => {
    const told = toldVideo.filter(({ title, description }) => title !== null || description !== null);
    await fc.assert(
      fc.asyncProperty(fc.array(plainTag, { maxLength: 4 }), fc.array(told, { maxLength: 4 }), async (tags, videos) => {
        const file = (await collect(writeCsv(exported(tags), pagesOf(videos)))).join('');
        expect(withoutLines(await collect(readCsv(file)))).toEqual([...linesOf(tags), ...detailsOf(videos)]);
      }),
    );
  });

  test('as JSON', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(plainTag, { maxLength: 4 }),
        fc.array(toldVideo, { maxLength: 4 }),
        async (tags, videos) => {
          const file = (await collect(writeJson(exported(tags), pagesOf(videos)))).join('');
          const lines = withoutLines([...readJson(file)]);
          expect(
            lines.map((line) => (line.kind === 'tag' ? { ...line, description: line.description || null } : line)),
          ).toEqual([...linesOf(tags), ...detailsOf(videos)]);
        },
      ),
    );
  });
});

describe('CSV', () => {
  test('is read with a byte order mark, other line ends, other orders of columns and columns that mean nothing here', async () => {
    const file = '\uFEFFPath, Tag ,rating\r\nalps/a.mp4,Alps,5\r\n\r\n,Sea,\r\n';
    expect(await collect(readCsv(file))).toEqual([
      { kind: 'link', line: 2, name: 'Alps', path: 'alps/a.mp4' },
      { kind: 'tag', line: 4, name: 'Sea', description: null, color: null, aliases: [] },
    ]);
  });

  test('is read in pieces that part no character', async () => {
    const name = 'a😀'.repeat(30);
    const file = `tag\n${`${name}\n`.repeat(1_500)}`;
    const lines = await collect(readCsv(file));
    expect(lines).toHaveLength(1_500);
    expect(lines.every((line) => line.kind === 'tag' && line.name === name)).toBe(true);
  });

  test('may have rows with fewer cells than its first line, and rows of empty cells', async () => {
    const lines = await collect(readCsv('path,tag\na.mp4\nb.mp4,Alps\n,\n,,\n'));
    expect(lines).toEqual([
      { kind: 'link', line: 2, name: '', path: 'a.mp4' },
      { kind: 'link', line: 3, name: 'Alps', path: 'b.mp4' },
    ]);
  });

  test.each([
    ['semicolons', '\ufeff"Tag";Path;Description\r\nAlps;"a;1,5.mp4";\r\nSea;;Waves, and more\r\n'],
    ['tabs', 'Path\ttag\tdescription\na;1,5.mp4\tAlps\t\n\tSea\tWaves, and more\n'],
    [
      'commas, and a semicolon in its first line',
      'a;tag;b,tag,path,description\n,Alps,"a;1,5.mp4"\n,Sea,,"Waves, and more"',
    ],
  ])('is read as a spreadsheet saves it with %s', async (_, file) => {
    expect(withoutLines(await collect(readCsv(file)))).toEqual([
      { kind: 'link', name: 'Alps', path: 'a;1,5.mp4' },
      { kind: 'tag', name: 'Sea', description: 'Waves, and more', color: null, aliases: [] },
    ]);
  });

  test('without its first line is refused', async () => {
    expect(await collect(readCsv('Alps,a.mp4\nSea,b.mp4\n'))).toEqual([
      {
        kind: 'unreadable',
        line: 1,
        message: 'The first line must name the columns: tag,description,color,aliases,path,title,video_description',
      },
    ]);
  });

  test('that breaks off is read up to there, and names the line', async () => {
    const lines = await collect(readCsv(`tag,path\nAlps,a.mp4\n"Sea,b.mp4\n${'x'.repeat(200_000)}`));
    expect(lines[0]).toMatchObject({ kind: 'link', line: 2 });
    expect(lines[1]).toMatchObject({ kind: 'unreadable', message: 'From here on this is no CSV' });
    expect(lines).toHaveLength(2);
  });

  test('has fifty columns at most: what stands further right is not read', async () => {
    const more = (count: number) => Array.from({ length: count }, (_, at) => `c${at}`).join(',');
    expect(await collect(readCsv(`tag,${more(48)},path\nSea,${more(48)},a.mp4`))).toMatchObject([{ kind: 'link' }]);
    expect(await collect(readCsv(`tag,${more(9_000)},path\nSea,${more(9_000)},a.mp4`))).toMatchObject([
      { kind: 'tag', name: 'Sea' },
    ]);
  });

  test('guards what a spreadsheet would run', async () => {
    const tags = [
      { name: '=HYPERLINK("http://x")', description: '@SUM(1)', color: '#000000', aliases: [], videos: ['-a'] },
    ];
    const videos = [{ path: 'a.mp4', title: '=1+1', description: null }];
    const file = (await collect(writeCsv(exported(tags), pagesOf(videos)))).join('');
    expect(file.split('\n').slice(1, 4)).toEqual([
      `"'=HYPERLINK(""http://x"")",'@SUM(1),#000000,,,,`,
      `"'=HYPERLINK(""http://x"")",,,,'-a,,`,
      ",,,,a.mp4,'=1+1,",
    ]);
  });
});

describe('JSON', () => {
  test.each(['', 'tags', '{}', '{"tags":{}}', 'null', '7'])('%j has no tags', (file) => {
    expect([...readJson(file)]).toEqual([
      { kind: 'unreadable', line: 1, message: 'This is no JSON with a list of tags' },
    ]);
  });

  test('that is deeper than any list of tags, or has a tag with a thousand names, is refused before it costs anything', () => {
    const deep = `[{"name":"Sea","other":${'['.repeat(1_000)}${']'.repeat(1_000)}}]`;
    expect([...readJson(deep)]).toEqual([
      { kind: 'unreadable', line: 1, message: 'This is no JSON with a list of tags' },
    ]);
    const aliases = Array.from({ length: 1_001 }, (_, at) => `a${at}`);
    expect([...readJson(JSON.stringify([{ name: 'Sea', aliases }]))]).toEqual([
      { kind: 'unreadable', line: 1, message: 'This is no tag with a name' },
    ]);
    const brackets = JSON.stringify([{ name: '['.repeat(30), description: `\\"${'{'.repeat(30)}` }]);
    expect([...readJson(brackets)]).toMatchObject([{ kind: 'tag', name: '['.repeat(30) }]);
  });

  test('of videos alone is read, and each that cannot be read is counted after the tags', () => {
    expect([...readJson('{"videos":[{"path":"a.mp4","title":"Sea"}]}')]).toEqual([
      { kind: 'details', line: 1, path: 'a.mp4', title: 'Sea', description: null },
    ]);
    expect([...readJson('{"tags":[{"name":"Sea"}],"videos":[{"title":"Sea"},7]}')].slice(1)).toEqual([
      { kind: 'unreadable', line: 2, message: 'This is no video with a path' },
      { kind: 'unreadable', line: 3, message: 'This is no video with a path' },
    ]);
  });

  test('names the tag that cannot be read, and goes on', () => {
    expect([...readJson('[{"name":7},{"name":"Sea","videos":["a.mp4",3]}]')]).toEqual([
      { kind: 'unreadable', line: 1, message: 'This is no tag with a name' },
      { kind: 'tag', line: 2, name: 'Sea', description: null, color: null, aliases: [] },
      { kind: 'link', line: 2, name: 'Sea', path: 'a.mp4' },
      { kind: 'unreadable', line: 2, message: 'The path of a video is text' },
    ]);
  });
});
