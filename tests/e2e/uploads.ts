import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { BrowserContext, Locator, Page } from '@playwright/test';
import { expect } from '@playwright/test';
import type { Site } from '#tests/support/product.ts';
import { poll } from './poll.ts';

/** Copies may be of half a GiB. */
const copiedWithinMs = 180_000;

/** The Upload view as somebody uses it. */
export class Uploads {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get files(): Locator {
    return this.page.getByRole('region', { name: 'Files' });
  }

  row(name: string): Locator {
    return this.files.getByRole('listitem').filter({ hasText: name });
  }

  /** What only the person can give: a file that is chosen again, leave to read one, or an answer. */
  get questions(): Locator {
    return this.page
      .getByRole('button', { name: /^(Choose .+ again|Allow reading .+)$/ })
      .or(this.page.getByRole('alertdialog'));
  }

  async open(address: string): Promise<void> {
    await this.page.goto(`${address}/?view=upload`);
    await expect(this.page.getByRole('button', { name: 'Choose files' })).toBeVisible();
  }

  /** By the browser's own field, which gives no handles. Resolves when the copies are whole. */
  async addStaged(...paths: string[]): Promise<void> {
    await this.page.getByLabel('Videos', { exact: true }).setInputFiles(paths);
    await this.expectSources('staged', paths.length);
  }

  /** By the picker of `pickOwnFiles`, which gives a handle of each. */
  async addOwnFiles(count: number): Promise<void> {
    await this.page.getByRole('button', { name: 'Choose files' }).click();
    await this.expectSources('handle', count);
  }

  /** For a file that has to be chosen again. */
  async pickAgain(name: string, path: string): Promise<void> {
    await this.row(name).locator('input[type=file]').setInputFiles(path);
  }

  /** The keys of sessions that this device has. */
  async readKeys(): Promise<(string | null)[]> {
    return (await this.page.evaluate(readStored)).keys;
  }

  async start(): Promise<void> {
    await this.files.getByRole('button', { name: /^Upload \d+ files?$/ }).click();
  }

  /** The renderer ends as on a fault of its own, and the page goes. */
  async crash(): Promise<void> {
    const devtools = await this.page.context().newCDPSession(this.page);
    const crashed = this.page.waitForEvent('crash');
    // It has nobody left to answer it.
    void devtools.send('Page.crash').catch(() => {});
    await crashed;
    await this.page.close();
  }

  /** How many files of what this device has stored have their bytes from there. */
  private async expectSources(kind: string, count: number): Promise<void> {
    const countSources = async () =>
      (await this.page.evaluate(readStored)).sources.filter((one) => one === kind).length;
    await poll(countSources, { timeout: copiedWithinMs }).toBe(count);
  }
}

/** Puts a copy of a file into the origin's private file system. The page stands on the origin. */
export async function putOwnFile(page: Page, path: string): Promise<void> {
  await page.evaluate(() => document.body.append(Object.assign(document.createElement('input'), { type: 'file' })));
  const field = page.locator('input[type=file]');
  await field.setInputFiles(path);
  await field.evaluate(async (input: HTMLInputElement) => {
    const [file] = input.files ?? [];
    if (!file) throw new Error('No file was chosen.');
    const handle = await (await navigator.storage.getDirectory()).getFileHandle(file.name, { create: true });
    await file.stream().pipeTo(await handle.createWritable());
    input.remove();
  });
}

/**
 * The picker of handles is drawn by the system: the files of the origin's private file system stand for its choice.
 * @param context with a profile of its own: without one Chromium ends where such a handle is stored
 */
export async function pickOwnFiles(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const showOpenFilePicker = async () => {
      const handles: FileSystemHandle[] = [];
      const folder = (await navigator.storage.getDirectory()) as FileSystemDirectoryHandle & {
        values(): AsyncIterable<FileSystemHandle>;
      };
      for await (const handle of folder.values()) handles.push(handle);
      return handles;
    };
    Object.assign(window, { showOpenFilePicker });
  });
}

/** What this device has stored of uploads. In the page. */
async function readStored(): Promise<{ sources: string[]; keys: (string | null)[] }> {
  const wait = <Value>(request: IDBRequest<Value>) =>
    new Promise<Value>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const database = await wait(indexedDB.open('fourfold'));
  const readAll = (name: string) => wait(database.transaction(name).objectStore(name).getAll());
  const [uploads, batches] = [await readAll('uploads'), await readAll('upload-batches')];
  database.close();
  return { sources: uploads.map(({ source }) => source.kind), keys: batches.map(({ key }) => key) };
}

/** For products whose metrics a journey reads. */
export const metricsToken = 'a-token-for-the-monitor';

/**
 * What counts here is what the server has written: how much of a cut connection was on its way depends on how busy the
 * machine is.
 * @returns bytes of uploads that the server has written since it was started; it has the token above
 */
export async function countWritten({ address }: Site): Promise<number> {
  const headers = { authorization: `Bearer ${metricsToken}` };
  const metrics = await (await fetch(`${address}/metrics`, { headers })).text();
  const [, bytes] = /^fourfold_upload_received_bytes_total (\S+)$/m.exec(metrics) ?? [];
  if (bytes === undefined) throw new Error(`The metrics do not count uploads: ${metrics.slice(0, 200)}`);
  return Number(bytes);
}

/** @returns SHA-256 of what a product has stored of people's videos, hexadecimal, sorted */
export async function digestsOf({ dataDir }: Site): Promise<string[]> {
  const folder = join(dataDir, 'uploads', 'videos');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return (await Promise.all(files.map(digestOf))).sort();
}

async function digestOf(path: string): Promise<string> {
  const digest = createHash('sha256');
  await pipeline(createReadStream(path), digest);
  return digest.digest('hex');
}
