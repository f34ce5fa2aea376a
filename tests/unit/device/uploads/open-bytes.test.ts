import { describe, expect, test, vi } from 'vitest';
import { askPermission, openBytes, readIdentity, trustFile } from '#device/uploads/open-bytes.ts';
import type { QueuedUpload, UploadSource } from '#device/uploads/queued-upload.ts';
import type { UploadBytes } from '#device/uploads/upload-bytes.ts';
import { FileBytes, readBlob } from '#device/uploads/upload-bytes.ts';
import { fakeHandle } from './memory-files.ts';
import { uploads } from './uploads.ts';

const chosen = new File(['0123456789'], 'a', { lastModified: 7 });

async function uploadOf(source: UploadSource): Promise<QueuedUpload> {
  const [draft] = uploads('b', { name: 'a', size: 10, lastModified: 7, source });
  return { ...(draft as QueuedUpload), position: 0, identity: await readIdentity(new FileBytes(chosen)) };
}

const fromHandle = (...args: Parameters<typeof fakeHandle>) =>
  uploadOf({ kind: 'handle', handle: fakeHandle(...args) });
const textOf = async (bytes: UploadBytes | string) =>
  typeof bytes === 'string' ? bytes : new TextDecoder().decode(await readBlob(await bytes.slice(0, bytes.size)));

describe('a stored handle', () => {
  test('gives the file as it was', async () => {
    expect(await textOf(await openBytes(await fromHandle(() => chosen)))).toBe('0123456789');
  });

  test('of the app’s own file system asks nobody', async () => {
    const handle = { getFile: async () => chosen } as unknown as FileSystemFileHandle;
    const upload = await uploadOf({ kind: 'handle', handle });
    expect([await textOf(await openBytes(upload)), await askPermission(upload)]).toEqual(['0123456789', true]);
  });

  test('that may not be read yet waits for a press', async () => {
    const ask = async (answer: PermissionState) => askPermission(await fromHandle(() => chosen, 'prompt', answer));
    expect(await openBytes(await fromHandle(() => chosen, 'prompt'))).toBe('permission');
    expect([await ask('granted'), await ask('denied'), await ask('prompt')]).toEqual([true, false, false]);
  });

  test.each([
    ['was deleted', () => Promise.reject(new DOMException('Gone', 'NotFoundError'))],
    ['has other bytes of the same length', () => new File(['012345678x'], 'a', { lastModified: 8 })],
    ['has another length', () => new File(['01234'], 'a', { lastModified: 7 })],
    ['reads as empty', () => Object.defineProperty(new File([], 'a'), 'size', { value: 10 })],
  ])('of a file that %s has it picked again', async (_, file) => {
    expect(await openBytes(await fromHandle(file))).toBe('pick-again');
  });

  test('of a file that was touched, with the same bytes, is good', async () => {
    const touched = () => new File(['0123456789'], 'a', { lastModified: 9 });
    expect(await textOf(await openBytes(await fromHandle(touched)))).toBe('0123456789');
  });
});

test('nobody but the person has a file that was neither copied nor stored', async () => {
  const upload = await uploadOf({ kind: 'picked-again' });
  expect([await openBytes(upload), await askPermission(upload)]).toEqual(['pick-again', false]);
});

test('a file is wrapped before it is sent, with its name, type and time', async () => {
  const wrap = vi.fn();
  const Original = File;
  vi.stubGlobal(
    'File',
    class extends Original {
      constructor(...args: ConstructorParameters<typeof File>) {
        super(...args);
        wrap(...args);
      }
    },
  );
  const stored = new Original(['ab'], 'a.mp4', { type: 'video/mp4', lastModified: 3 });
  const bytes = await trustFile(stored);
  vi.unstubAllGlobals();
  expect(wrap).toHaveBeenCalledWith([stored], 'a.mp4', { type: 'video/mp4', lastModified: 3 });
  expect(await textOf(bytes)).toBe('ab');
});
