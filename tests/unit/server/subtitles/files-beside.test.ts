import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { findFilesBeside, SubtitleFolders } from '#server/features/subtitles/subtitle-files.ts';
import { putFile } from '#tests/support/media/videos.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

const srt = '1\n00:00:00,000 --> 00:01:00,000\nHello\n';

async function findIn(folder: string, name: string | Buffer, folders = new SubtitleFolders({ elapsed: () => 0 })) {
  const file = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name)]);
  return findFilesBeside(folders, { folder, file });
}

async function labelsIn(folder: string, name: string | Buffer): Promise<string[]> {
  return (await findIn(folder, name)).map(({ label }) => label);
}

test.each(['film.mp4', 'film', '.film'])('the files beside %s are found by its name', async (video) => {
  const folder = temporaryFolder();
  const stem = video.replace('.mp4', '');
  for (const name of [`${stem}.srt`, `${stem}.de.vtt`, `${stem}2.srt`, `${stem}srt`, 'other.srt', `${stem}.txt`])
    putFile(folder, name, srt);
  expect(await labelsIn(folder, video)).toEqual(['German', 'Subtitles']);
});

test('names are the same in either form of Unicode', async () => {
  const folder = temporaryFolder();
  putFile(folder, 'grün.de.srt'.normalize('NFD'), srt);
  expect(await labelsIn(folder, 'grün.mp4'.normalize('NFC'))).toEqual(['German']);
});

test('names that are no text are compared by their bytes', async () => {
  const folder = temporaryFolder();
  const name = (end: string) => Buffer.concat([Buffer.from(`${folder}/`), Buffer.of(0xff, 0xfe), Buffer.from(end)]);
  writeFileSync(name('.en.srt'), srt);
  expect(await labelsIn(folder, Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from('.mp4')]))).toEqual(['English']);
  expect(await labelsIn(folder, Buffer.concat([Buffer.of(0xfd, 0xfe), Buffer.from('.mp4')]))).toEqual([]);
});

test('nothing but a file inside the library is opened', async () => {
  const [folder, outside] = [temporaryFolder(), temporaryFolder()];
  putFile(outside, 'secret', srt);
  putFile(folder, 'shared', srt);
  symlinkSync(join(outside, 'secret'), join(folder, 'film.de.srt'));
  symlinkSync('/dev/zero', join(folder, 'film.fr.srt'));
  symlinkSync(join(folder, 'film.it.srt'), join(folder, 'film.it.srt'));
  mkdirSync(join(folder, 'film.es.srt'));
  execFileSync('mkfifo', [join(folder, 'film.nl.srt')]);
  symlinkSync(join(folder, 'shared'), join(folder, 'film.en.srt'));
  expect(await labelsIn(folder, 'film.mp4')).toEqual(['English']);
});

test('what took the place of a file that was found is not read', async () => {
  const [folder, outside] = [temporaryFolder(), temporaryFolder()];
  const file = putFile(folder, 'film.srt', srt);
  const [found] = await findIn(folder, 'film.mp4');
  if (found === undefined) throw new Error('Nothing was found.');
  expect(String(await found.read())).toBe(srt);
  renameSync(file, join(outside, 'secret'));
  expect(await found.read()).toBeNull();
  symlinkSync(join(outside, 'secret'), file);
  expect(await found.read()).toBeNull();
});

test('a file that is empty or too large is none', async () => {
  const folder = temporaryFolder();
  putFile(folder, 'film.de.srt', '');
  truncateSync(putFile(folder, 'film.en.srt', srt), limits.subtitleBytes);
  truncateSync(putFile(folder, 'film.fr.srt', srt), limits.subtitleBytes + 1);
  truncateSync(putFile(folder, 'film.it.srt', srt), 2 ** 40);
  expect(await labelsIn(folder, 'film.mp4')).toEqual(['English']);
});

test('no more than the limit are found', async () => {
  const folder = temporaryFolder();
  const languages = ['', 'default', 'forced', 'sdh', 'cc', 'foreign'];
  for (const one of ['en', 'de', 'fr', 'it', 'es', 'nl', 'pl'])
    for (const kind of languages) putFile(folder, `film.${one}${kind === '' ? '' : `.${kind}`}.srt`, srt);
  expect(await labelsIn(folder, 'film.mp4')).toHaveLength(limits.subtitleTracks);
});

test('another state of a file is another version', async () => {
  const folder = temporaryFolder();
  const file = putFile(folder, 'film.srt', srt);
  const [before] = await findIn(folder, 'film.mp4');
  const [same] = await findIn(folder, 'film.mp4');
  utimesSync(file, 1, 1);
  const [after] = await findIn(folder, 'film.mp4');
  expect(same?.version).toBe(before?.version);
  expect(after?.version).not.toBe(before?.version);
});

test('a folder is listed again some seconds later', async () => {
  const folder = temporaryFolder();
  let now = 0;
  const folders = new SubtitleFolders({ elapsed: () => now });
  expect(await findIn(folder, 'film.mp4', folders)).toEqual([]);
  putFile(folder, 'film.srt', srt);
  expect(await findIn(folder, 'film.mp4', folders)).toEqual([]);
  now = 5_000;
  expect(await findIn(folder, 'film.mp4', folders)).toHaveLength(1);
});

test('a folder that is not there has none', async () => {
  expect(await labelsIn(join(temporaryFolder(), 'none'), 'film.mp4')).toEqual([]);
});
