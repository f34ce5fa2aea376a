import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { deviceFailures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { DeviceDatabase, FactStore } from '#device/device-database.ts';
import { openBytes } from '#device/uploads/open-bytes.ts';
import type { UploadBytes } from '#device/uploads/upload-bytes.ts';
import { Staging, UploadPieces } from '#device/uploads/upload-bytes.ts';
import { UploadStore } from '#device/uploads/upload-store.ts';
import manifestText from '../../../manifest.webmanifest?raw';
import { isShare, receiveShare } from '../../../sw/share-target.ts';
import { clockParts, fakeIndexedDb } from '../device/fake-indexed-db.ts';

const origin = 'https://fourfold.example';
const hourMs = 3_600_000;

let database: DeviceDatabase;
let store: UploadStore;

beforeEach(() => {
  fakeIndexedDb();
  vi.useFakeTimers({ toFake: [...clockParts], now: 0 });
  database = new DeviceDatabase();
  store = new UploadStore(database);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

function shareOf(
  files: readonly File[],
  { field = 'files', ...options }: RequestInit & { field?: string } = {},
): Request {
  const body = new FormData();
  for (const file of files) body.append(field, file);
  return new Request(`${origin}/share`, { method: 'POST', body, ...options });
}

const video = (name: string, text = 'bytes') => new File([text], name, { type: 'video/mp4' });
const share = (request: Request, storage = {}, own = database) =>
  receiveShare(request, {
    store: new UploadStore(own),
    staging: new Staging(new UploadPieces(own), storage),
    pieces: new UploadPieces(own),
    facts: new FactStore(own),
  });
const idOf = (answer: Response) => new URL(answer.headers.get('location') ?? '').searchParams.get('share') ?? '';

describe('files that are shared', () => {
  test('outlive another start with a clock that is years ahead, and one that was years behind', async () => {
    const yearMs = 365 * 24 * hourMs;
    const answers = [];
    for (const clock of [56 * yearMs, 0, 70 * yearMs]) {
      vi.setSystemTime(clock);
      answers.push(await share(shareOf([video('a.mp4')])));
    }
    expect(await Promise.all(answers.map((answer) => store.read(idOf(answer))))).not.toContain(null);
  });

  test('are all there when the page is asked to open, for whoever claims them within a day', async () => {
    const answer = await share(shareOf([video('a.mp4', 'first'), video('b.mov', 'second')]));
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${origin}/?share=${idOf(answer)}`]);
    const next = new DeviceDatabase();
    const shared = await new UploadStore(next).read(idOf(answer));
    expect(shared).toMatchObject({
      batch: { userId: null, state: 'draft', keptUntil: limits.sharedFilesHours * hourMs, rejections: [] },
      uploads: [
        { name: 'a.mp4', size: 5, type: 'video/mp4', source: { kind: 'staged' }, state: 'pending' },
        { name: 'b.mov', size: 6, source: { kind: 'staged' } },
      ],
    });
    const bytes = await Promise.all((shared?.uploads ?? []).map((upload) => openBytes(upload, new UploadPieces(next))));
    const texts = bytes.map(async (own) => (await (own as UploadBytes).slice(0, 9)).text());
    expect(await Promise.all(texts)).toEqual(['first', 'second']);
  });

  test("are the viewer's own where one is signed in", async () => {
    await new FactStore(database).update('viewer', () => ({ mark: 'm', userId: 'ana' }));
    const answer = await share(shareOf([video('a.mp4')]));
    expect((await store.read(idOf(answer)))?.batch).toMatchObject({ userId: 'ana', state: 'draft', keptUntil: null });
  });

  test('are refused for the same reasons as picked ones, beside those that are not', async () => {
    const answer = await share(shareOf([video('a.txt'), video('b.mp4'), video('c.mp4', '')]));
    expect(await store.read(idOf(answer))).toMatchObject({
      uploads: [{ name: 'b.mp4' }],
      batch: {
        rejections: [
          { filename: 'a.txt', reason: `Unsupported format. Supported formats: ${limits.uploadExtensions.join(', ')}` },
          { filename: 'c.mp4', reason: 'File is empty' },
        ],
      },
    });
  });

  test('are as many as one session takes', async () => {
    const files = Array.from({ length: limits.uploadFilesPerSession + 1 }, (_, at) => video(`${at}.mp4`, 'x'));
    const shared = await store.read(idOf(await share(shareOf(files))));
    expect([shared?.uploads.length, shared?.batch.rejections]).toEqual([
      limits.uploadFilesPerSession,
      [{ filename: '200.mp4', reason: 'At most 200 files can be uploaded at once' }],
    ]);
  });

  test('for which there is no room are told, for a day', async () => {
    const full = { estimate: async () => ({ quota: 10, usage: 9 }) };
    const answer = await share(shareOf([video('a.mp4'), video('b.avi')]), full);
    expect(await store.read(idOf(answer))).toMatchObject({
      uploads: [],
      batch: {
        keptUntil: limits.sharedFilesHours * hourMs,
        rejections: [
          { filename: 'a.mp4', reason: deviceFailures.noRoomForFile },
          { filename: 'b.avi', reason: deviceFailures.noRoomForFile },
        ],
      },
    });
  });

  test('make room for themselves where others have waited for too long', async () => {
    const old = idOf(await share(shareOf([video('a.mp4')])));
    for (const hours of [limits.sharedFilesHours / 2, limits.sharedFilesHours]) {
      vi.setSystemTime(hours * hourMs);
      await share(shareOf([video('b.mp4')]));
    }
    expect(await store.read(old)).toBeNull();
  });
});

/** A form of one file after another, as a stream that is read no further than it is asked for. */
function streamedShare(parts: readonly { name: string; bytes: number }[], cutAfter = Number.POSITIVE_INFINITY) {
  const chunk = new Uint8Array(65_536).fill(7);
  const progress = { pulled: 0 };
  function* chunks() {
    for (const { name, bytes } of parts) {
      yield new TextEncoder().encode(`--b\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\n\r\n`);
      for (let at = 0; at < bytes; at += chunk.length) yield chunk.subarray(0, bytes - at);
      yield new TextEncoder().encode('\r\n');
    }
    yield new TextEncoder().encode('--b--');
  }
  const all = chunks();
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const { value, done } = all.next();
        if (progress.pulled >= cutAfter) controller.error(new TypeError('cut off'));
        else if (done) controller.close();
        else {
          progress.pulled += value.length;
          controller.enqueue(value);
        }
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
  return {
    request: new Request(`${origin}/share`, { method: 'POST', body, headers, duplex: 'half' } as RequestInit),
    progress,
  };
}

const countRows = async () => {
  const count = (name: 'upload-batches' | 'uploads' | 'upload-pieces') =>
    database.run(
      (connection) => connection.count(name),
      () => -1,
    );
  return [await count('upload-batches'), await count('uploads'), await count('upload-pieces')];
};

describe('a large share', () => {
  const large = 2 * limits.stagedPieceBytes + 5;

  test('is stored piece by piece while it comes, seen by nobody before all of it is there', async () => {
    const { request, progress } = streamedShare([{ name: 'a.mp4', bytes: large }]);
    const seen: unknown[] = [];
    const addPiece = UploadPieces.prototype.add;
    vi.spyOn(UploadPieces.prototype, 'add').mockImplementation(async function (this: UploadPieces, id, start, bytes) {
      seen.push([progress.pulled - start - bytes.byteLength < 200_000, await store.list(null)]);
      return addPiece.call(this, id, start, bytes);
    });
    const shared = await store.read(idOf(await share(request)));
    expect(seen).toEqual(Array.from({ length: 3 }, () => [true, []]));
    expect(shared?.uploads).toMatchObject([{ size: large, stagedBytes: large, source: { kind: 'staged' } }]);
    const bytes = await openBytes(shared!.uploads[0]!, new UploadPieces(database));
    const copied = new Uint8Array(await (await (bytes as UploadBytes).slice(0, large)).arrayBuffer());
    expect([copied.length, copied.every((byte) => byte === 7)]).toEqual([large, true]);
  });

  test.each([100, limits.stagedPieceBytes + 70_000, large + 5_000])(
    'that is cut off after %d bytes leaves nothing',
    async (bytes) => {
      const { request } = streamedShare(
        [
          { name: 'a.mp4', bytes: large },
          { name: 'b.mp4', bytes: large },
        ],
        bytes,
      );
      const answer = await share(request);
      expect([answer.status, await store.read(idOf(answer)), await countRows()]).toEqual([303, null, [0, 0, 0]]);
    },
  );

  test('is dropped with a later one when the worker ended while it came', async () => {
    const { request } = streamedShare([{ name: 'a.mp4', bytes: large }]);
    vi.spyOn(UploadStore.prototype, 'updateUpload').mockImplementation(() => new Promise(() => {}));
    void share(request);
    await vi.waitFor(async () => expect(await countRows()).toEqual([1, 1, 3]));
    expect(await store.list(null)).toEqual([]);
    vi.restoreAllMocks();
    vi.setSystemTime(2 * hourMs);
    await share(shareOf([video('b.mp4')]));
    expect([(await store.list(null)).length, await countRows()]).toEqual([1, [1, 1, 1]]);
  });

  test('for which there is no room leaves room for the others', async () => {
    const estimate = async () => ({ quota: 5 * (limits.stagedPieceBytes + 100_000), usage: 0 });
    const { request } = streamedShare([
      { name: 'a.mp4', bytes: 1_000 },
      { name: 'b.mp4', bytes: large },
      { name: 'c.mp4', bytes: 2_000 },
    ]);
    expect(await store.read(idOf(await share(request, { estimate })))).toMatchObject({
      uploads: [
        { name: 'a.mp4', size: 1_000 },
        { name: 'c.mp4', size: 2_000 },
      ],
      batch: { rejections: [{ filename: 'b.mp4', reason: deviceFailures.noRoomForFile }] },
    });
    expect(await countRows()).toEqual([1, 2, 2]);
  });
});

describe('nothing is stored, and the page opens and finds nothing, where', () => {
  test.each([
    ['no file is shared', () => shareOf([])],
    ['it has another name than in the manifest', () => shareOf([video('a.mp4')], { field: 'file' })],
    ['it is no form', () => new Request(`${origin}/share`, { method: 'POST', body: 'x' })],
  ])('%s', async (_, request) => {
    const answer = await share(request());
    expect([answer.status, await store.read(idOf(answer)), await store.list(null)]).toEqual([303, null, []]);
  });

  test('there is no database', async () => {
    vi.stubGlobal('indexedDB', undefined);
    const answer = await share(shareOf([video('a.mp4')]), {}, new DeviceDatabase());
    expect([answer.status, await store.read(idOf(answer))]).toEqual([303, null]);
  });

  test('the disk is full', async () => {
    vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
      throw new DOMException('No room', 'QuotaExceededError');
    });
    const answer = await share(shareOf([video('a.mp4')]));
    expect([answer.status, await store.read(idOf(answer))]).toEqual([303, null]);
  });
});

test.each([
  ['by its origin', 'https://evil.example', ''],
  ['by its referrer', 'null', 'https://evil.example/page'],
])('what a page of another site sends is refused: known %s', async (_, sender, referrer) => {
  const sent = shareOf([video('a.mp4')]);
  const request = {
    url: sent.url,
    headers: new Headers({ Origin: sender }),
    referrer,
    body: sent.body,
  };
  const answer = await share(request as Request);
  expect([answer.status, await store.list(null)]).toEqual([403, []]);
});

test.each(['null', origin])('what the system sends is taken: origin %s', async (sender) => {
  const answer = await share(shareOf([video('a.mp4')], { headers: { Origin: sender } }));
  expect([answer.status, (await store.list(null)).length]).toEqual([303, 1]);
});

describe('the manifest', () => {
  const { share_target: target, file_handlers: handlers } = JSON.parse(manifestText) as {
    share_target: {
      action: string;
      method: string;
      enctype: string;
      params: { files: { name: string; accept: string[] }[] };
    };
    file_handlers: { action: string; accept: Record<string, string[]> }[];
  };
  const [field] = target.params.files;
  const types = Object.entries(handlers[0]?.accept ?? {});

  test('sends to the worker what it takes', async () => {
    expect(isShare(new URL(target.action, origin))).toBe(true);
    expect([target.method, target.enctype, target.params.files.length]).toEqual(['POST', 'multipart/form-data', 1]);
    const answer = await share(shareOf([video('a.mp4')], { field: field?.name ?? '' }));
    expect((await store.read(idOf(answer)))?.uploads).toHaveLength(1);
  });

  test('names every extension and every media type, and no other one', () => {
    const extensions = types.flatMap(([, own]) => own);
    expect(extensions).toEqual(limits.uploadExtensions);
    expect(field?.accept).toEqual([...types.map(([type]) => type), ...extensions]);
    expect(types.every(([type]) => type.startsWith('video/'))).toBe(true);
  });

  test('opens files of these kinds on the Upload page', () => {
    expect(handlers.map(({ action }) => action)).toEqual(['/?view=upload']);
  });
});
