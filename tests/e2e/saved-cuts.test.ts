import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, LaunchOptions, Page } from '@playwright/test';
import { chromium, expect } from '@playwright/test';
import { limits } from '#contract/limits.ts';
import { writeLargeVideo } from '#tests/support/media/large-video.ts';
import { isWholeSoak, soakSeed } from '#tests/support/soak.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';

/** Kills of the browser while one file is saved, and the pieces between two of them. */
const [kills, step] = [isWholeSoak ? 20 : 3, 5];
const pieces = (kills + 1) * step;

/** Runs in the page: what the device has saved, as its size and the SHA-256 of all pieces. */
async function readSaved(): Promise<{ state: string; savedBytes: number; hash: string } | null> {
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    const opening = indexedDB.open('fourfold');
    opening.onupgradeneeded = () => opening.transaction?.abort();
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
  const [row] = await new Promise<{ id: string; state: string; savedBytes: number }[]>((resolve) => {
    const reading = database.transaction('saved-videos').objectStore('saved-videos').getAll();
    reading.onsuccess = () => resolve(reading.result);
  });
  database.close();
  if (!row) return null;
  const { id, state, savedBytes } = row;
  if (state !== 'whole') return { state, savedBytes, hash: '' };
  const root = await navigator.storage.getDirectory();
  const folder = await (await root.getDirectoryHandle('saved')).getDirectoryHandle(id);
  const parts: File[] = [];
  const read = async (name: string) => (await folder.getFileHandle(name).catch(() => null))?.getFile();
  for (let index = 0; ; ) {
    // Sixteen pieces become one file; a kill may leave an empty one beside them.
    const joined = await read(`${index}-${index + 15}`);
    const part = joined?.size ? joined : await read(String(index));
    if (!part) break;
    parts.push(part);
    index += joined?.size ? 16 : 1;
  }
  const digest = await crypto.subtle.digest('SHA-256', await new Blob(parts).arrayBuffer());
  const hash = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return { state, savedBytes, hash };
}

/** Ends the browser of a profile at once, as a crash does. */
async function kill({ context }: Opened, profile: string): Promise<void> {
  const closed = new Promise((resolve) => context.once('close', resolve));
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const command = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    if (command.includes(`--user-data-dir=${profile}`) && !command.includes('--type='))
      process.kill(Number(name), 'SIGKILL');
  }
  await closed;
}

/** Kills the browser once it has saved so many pieces. */
async function killAfter(opened: Opened, profile: string, count: number): Promise<void> {
  const { page } = opened;
  await poll(async () => (await page.evaluate(readSaved))?.savedBytes ?? 0).toBeGreaterThanOrEqual(
    count * limits.savedPieceBytes,
  );
  await kill(opened, profile);
}

interface Opened {
  context: BrowserContext;
  page: Page;
}

async function openPage(profile: string, options: LaunchOptions): Promise<Opened> {
  const context = await chromium.launchPersistentContext(profile, options);
  return { context, page: await context.newPage() };
}

test(`a browser that is killed while it saves has the bytes of the server in the end (seed ${soakSeed})`, async ({
  openProduct,
  launchOptions,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'fourfold-saved-'));
  const profile = await mkdtemp(join(tmpdir(), 'fourfold-profile-'));
  const hash = await writeLargeVideo(join(folder, 'film.mp4'), pieces * limits.savedPieceBytes);
  const product = await openProduct({ files: { 'Sea/film.mp4': join(folder, 'film.mp4') } });
  try {
    const first = await openPage(profile, launchOptions);
    await first.page.goto(`${product.address}/?view=channels`);
    // A player closes at the end of its video; the list of a channel stays.
    await first.page.getByRole('list', { name: 'Channels' }).getByRole('button', { name: 'Sea' }).click();
    await first.page.getByRole('button', { name: 'Keep offline' }).click();
    const dialog = first.page.getByRole('dialog', { name: 'Keep offline' });
    await dialog.getByRole('button', { name: 'Keep offline' }).click();
    await killAfter(first, profile, 1 + (soakSeed % step));
    for (let killed = 1; killed < kills; killed += 1) {
      const again = await openPage(profile, launchOptions);
      await again.page.goto(`${product.address}/?view=profile`);
      await killAfter(again, profile, killed * step + ((soakSeed + killed) % step));
    }
    const last = await openPage(profile, launchOptions);
    await last.page.goto(`${product.address}/?view=profile`);
    await poll(async () => (await last.page.evaluate(readSaved))?.state, { message: 'a whole file' }).toBe('whole');
    expect(await last.page.evaluate(readSaved)).toEqual({
      state: 'whole',
      savedBytes: pieces * limits.savedPieceBytes,
      hash,
    });
    await kill(last, profile);
  } finally {
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    await rm(folder, { recursive: true, force: true });
  }
});
