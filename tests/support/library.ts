import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const fixtures = fileURLToPath(new URL('../fixtures/videos/', import.meta.url));

/** A folder of videos made for one test. */
export interface Library {
  readonly folder: string;
  remove(): Promise<void>;
}

/**
 * Copies the named fixtures (`hue-030`, `brief-120` …) into a folder of their own.
 * @param container WebM (VP9) exists of the `hue` videos, for engines without H.264
 */
export function makeLibrary(names: readonly string[], container: 'mp4' | 'webm' = 'mp4'): Promise<Library> {
  const files = names.map((name) => `${name}.${container}`);
  return copyLibrary(Object.fromEntries(files.map((file) => [file, join(fixtures, file)])));
}

/** @param files the absolute path of what is copied, by its path in the library */
export async function copyLibrary(files: Readonly<Record<string, string>>): Promise<Library> {
  const folder = await mkdtemp(join(tmpdir(), 'fourfold-library-'));
  for (const [path, file] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await copyFile(file, join(folder, path));
  }
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Names of the fixtures that begin with a word: `hue` (20 s each) or `brief` (3 s each), in order of their hue. */
export async function fixtureNames(set: 'hue' | 'brief'): Promise<string[]> {
  const files = await readdir(fixtures);
  return files
    .filter((file) => file.startsWith(`${set}-`) && file.endsWith('.mp4'))
    .map((file) => file.replace('.mp4', ''))
    .sort();
}

/**
 * Adds a file whose header is whole and whose pictures are noise: a server must think it available, a browser cannot
 * play it.
 */
export async function addBrokenVideo(library: Library, fixture: string, name: string): Promise<void> {
  const bytes = await readFile(join(fixtures, `${fixture}.mp4`));
  const pictures = bytes.indexOf('mdat', 0, 'latin1') + 4;
  await writeFile(join(library.folder, `${name}.mp4`), bytes.fill(0xff, pictures));
}
