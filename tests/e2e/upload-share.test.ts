import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { acceptAgreement, registerAt } from './accounts.ts';
import { test } from './journey.ts';
import { SignIn } from './sign-in.ts';
import { Uploads } from './uploads.ts';

/** More than one piece of a copy. */
const size = 5_000_000;

/** Shares files of `size` bytes as the system does: a form that is sent to the app. In the page. */
function sendForm({ names, size }: { names: readonly string[]; size: number }): void {
  const files = new DataTransfer();
  for (const [at, name] of names.entries())
    files.items.add(new File([new Uint8Array(size).fill(at + 1)], name, { type: 'video/mp4' }));
  const field = Object.assign(document.createElement('input'), { type: 'file', name: 'files', multiple: true });
  field.files = files.files;
  const form = Object.assign(document.createElement('form'), {
    method: 'post',
    action: '/share',
    enctype: 'multipart/form-data',
  });
  form.append(field);
  document.body.append(form);
  form.submit();
}

interface StoredFile {
  name: string;
  source: string;
  /** The bytes that its pieces hold, each value once. */
  values: number[];
  bytes: number;
}

/** What the database has of a batch. In the page. */
async function readBatch(id: string | null): Promise<{ rejections: string[]; files: StoredFile[] }> {
  const wait = <Value>(request: IDBRequest<Value>) =>
    new Promise<Value>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const database = await wait(indexedDB.open('fourfold'));
  const store = (name: string) => database.transaction(name).objectStore(name);
  const batch = await wait(store('upload-batches').get(id ?? ''));
  const uploads = await wait(
    store('uploads')
      .index('by-batch')
      .getAll(IDBKeyRange.bound([id], [id, []])),
  );
  const files: StoredFile[] = [];
  for (const { id: ownerId, name, source } of uploads) {
    const pieces = await wait(store('upload-pieces').getAll(IDBKeyRange.bound([ownerId], [ownerId, []])));
    const parts = pieces.map((piece: { bytes: ArrayBuffer }) => new Uint8Array(piece.bytes));
    files.push({
      name,
      source: source.kind,
      values: [...new Set(parts.flatMap((part) => [...new Set(part)]))],
      bytes: parts.reduce((sum, part) => sum + part.length, 0),
    });
  }
  database.close();
  return { rejections: (batch?.rejections ?? []).map(({ filename }: { filename: string }) => filename), files };
}

/** Whether the device knows who is signed in. In the page. */
function knowsViewer(id: string): Promise<boolean> {
  return new Promise((resolve) => {
    const opening = indexedDB.open('fourfold');
    opening.onsuccess = () => {
      const reading = opening.result.transaction('facts').objectStore('facts').get('viewer');
      reading.onsuccess = () => {
        opening.result.close();
        resolve(String(reading.result?.userId).startsWith(id));
      };
    };
  });
}

async function stopWorkers(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('ServiceWorker.enable');
  await devtools.send('ServiceWorker.stopAllWorkers');
  await devtools.detach();
}

test('shared videos are stored before the page opens, and outlive the worker and the page', async ({
  page,
  feed,
  product,
}) => {
  await feed.open(product.address);
  await feed.waitForWorker();
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);

  // The page takes the id out of its address as soon as it starts.
  let id: string | null = null;
  const hasId = (url: URL) => {
    id ??= url.searchParams.get('share');
    return id !== null;
  };
  await Promise.all([
    page.waitForURL(hasId, { waitUntil: 'commit' }),
    page.evaluate(sendForm, { names: ['first.mp4', 'notes.txt', 'second.mov'], size }),
  ]);
  const later = await page.context().newPage();
  // First: a page that loads while its worker is stopped does not start.
  await page.close();
  await later.goto(`${product.address}/robots.txt`);
  await stopWorkers(later);

  expect(await later.evaluate(readBatch, id)).toEqual({
    rejections: ['notes.txt'],
    files: [
      { name: 'first.mp4', source: 'staged', values: [1], bytes: size },
      { name: 'second.mov', source: 'staged', values: [3], bytes: size },
    ],
  });
});

test('videos that a signed-in person shares stand in their list, and those that were refused with the reason', async ({
  page,
  feed,
  inbox,
}) => {
  const sharer = await registerAt(inbox, 'sharer');
  await acceptAgreement(inbox, sharer);
  await new SignIn(page).enterAs(inbox, 'sharer');
  await feed.open(inbox.address);
  await feed.waitForWorker();
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  await page.waitForFunction(knowsViewer, sharer.user.id);

  await page.evaluate(sendForm, { names: ['first.mp4', 'notes.txt'], size });

  const refused = page.getByRole('alertdialog');
  await expect(refused).toContainText('notes.txt: Unsupported format.');
  await refused.getByRole('button', { name: 'OK' }).click();
  await expect(new Uploads(page).row('first.mp4')).toContainText('Waiting');
});
