import { describe, expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { readTransfer } from '#server/features/tag-transfer/tag-files.ts';

const videos = new Map([
  ['a.mp4', 1],
  ['b.mp4', 2],
]);
const places = {
  findNumbers: async (paths: readonly string[]) =>
    new Map([...videos].filter(([path]) => paths.includes(path))) as ReadonlyMap<string, number>,
};
/** Alps has number 7, and is called Alpen, too. */
const findTagNumber = (key: string) => (key === 'alps' || key === 'alpen' ? 7 : null);

async function read(text: string, format: 'csv' | 'json' = 'csv') {
  const { plan, failed } = await readTransfer({ format, text }, places, findTagNumber);
  const targets = [...plan.list()].map(({ target, videos: numbers }) => ({ ...target, videos: [...numbers] }));
  return { targets, failed };
}

describe('a file of tags and links', () => {
  test('names tags that are there by any of their names, and creates the others once', async () => {
    const { targets, failed } = await read(
      'tag,description,color,aliases,path\nALPS,,,,a.mp4\nalpen,,,,b.mp4\nSea,,,,a.mp4\nSea,Salt water,#00AAFF,Ocean|Alps,\nocean,,,,b.mp4\n',
    );
    expect(failed.count).toBe(0);
    expect(targets).toEqual([
      { tag: { name: 'Sea', description: 'Salt water', color: '#00AAFF', aliases: ['Ocean'] }, videos: [1, 2] },
      { number: 7, videos: [1, 2] },
    ]);
  });

  test('names the lines that fail, and takes the others', async () => {
    const { targets, failed } = await read('tag,color,path\n,,a.mp4\nSea,red,\nSea,,gone.mp4\nSea,,a.mp4\n');
    expect(failed.first).toEqual([
      { line: 3, message: 'Color must be written like #3B82F6' },
      { line: 2, message: 'Tag name is required' },
      { line: 4, message: 'No video has this path' },
    ]);
    expect(targets).toMatchObject([{ tag: { name: 'Sea', color: limits.tagColor }, videos: [1] }]);
  });

  test('names a description with a character that cannot be stored', async () => {
    const { targets, failed } = await read('tag,description\nSea,a\0b\nLake,Calm\n');
    expect(failed.first).toEqual([{ line: 2, message: 'Description must not contain hidden characters' }]);
    expect(targets).toMatchObject([{ tag: { name: 'Lake', description: 'Calm' } }]);
  });

  test('describes what is there without changing it', async () => {
    const { targets } = await read('tag,description\nAlps,Other words\n');
    expect(targets).toEqual([{ number: 7, videos: [] }]);
  });

  test('names the titles and descriptions that are too long', async () => {
    const rows = ['x'.repeat(limits.titleCharacters + 1), 'fine'].map((title) => `,a.mp4,${title},`);
    const long = `,b.mp4,,${'x'.repeat(limits.descriptionCharacters + 1)}`;
    const { failed } = await read(`tag,path,title,video_description\n${[...rows, long, ',gone.mp4,Gone,'].join('\n')}`);
    expect(failed.first).toEqual([
      { line: 2, message: 'Title must be at most 200 characters' },
      { line: 4, message: 'Description must be at most 2000 characters' },
      { line: 5, message: 'No video has this path' },
    ]);
  });

  test('names the first of many lines that fail, and counts all', async () => {
    const { failed } = await read(`tag,path\n${'Sea,gone.mp4\n'.repeat(limits.namedImportFailures + 1_000)}`);
    expect([failed.first.length, failed.count]).toEqual([
      limits.namedImportFailures,
      limits.namedImportFailures + 1_000,
    ]);
  });

  test('creates only so many channels', async () => {
    const names = Array.from({ length: limits.importedTags + 3 }, (_, at) => ({ name: `t${at}` }));
    const { targets, failed } = await read(JSON.stringify({ tags: names }), 'json');
    expect([targets.length, failed.count]).toEqual([limits.importedTags, 3]);
  });

  test('is refused with more lines than one file may have', async () => {
    const text = JSON.stringify([{ name: 'Sea', videos: Array.from({ length: limits.importLines }, () => 'a.mp4') }]);
    await expect(read(text, 'json')).rejects.toThrow(`A file can have at most ${limits.importLines} lines`);
  });
});
