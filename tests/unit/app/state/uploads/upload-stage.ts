import { vi } from 'vitest';
import { storeTokens } from '#app/platform/http/token-store.ts';
import { applyUser } from '#app/state/account.ts';
import { session } from '#app/state/session.ts';
import type { UploadQueue } from '#app/state/uploads/uploads-state.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import type { CompletedFile, UploadStart } from '#contract/entities/upload.ts';
import { uploadStore } from '#device/uploads/upload-store.ts';
import type { FakeUploadServer } from '../../transfer/fake-upload-server.ts';
import type { Asked } from '../outbox/fake-api.ts';
import { FakeApi, tokenOf } from '../outbox/fake-api.ts';
import { person } from '../people.ts';

/** What stays real reads files. */
export const clockParts = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] as const;

declare const setImmediate: (run: () => void) => void;

/** The server of uploads: sessions by calls, bytes by the fake addresses. */
export class UploadStage {
  readonly api = new FakeApi();
  readonly bytes: FakeUploadServer;
  private readonly files = new Map<string, { id: string; address: string; name: string; key: string }[]>();

  /** Files that are being read. */
  private reading = 0;

  constructor(bytes: FakeUploadServer) {
    this.bytes = bytes;
    this.countReading();
    Object.assign(this.api.replies, {
      'GET /users/profile': () => ({ status: 500 }),
      'GET /api/config': () => 'away',
      'POST /auth/logout': () => ({ status: 204 }),
      'POST /api/upload/initiate': ({ body }: Asked) => this.open(body as UploadStart),
    });
  }

  signIn(id: string): void {
    const user = { ...person('pro'), id };
    storeTokens({ access_token: tokenOf(id), refresh_token: `refresh-${id}` });
    session.user = user;
    applyUser({ user, features: user.features });
  }

  /** Until every file was read, which no clock counts. */
  async untilRead(): Promise<void> {
    for (let turn = 0; turn < 10_000; turn += 1) {
      const batches = await uploadStore.list('user-1');
      if (batches.every(({ uploads: files }) => files.every(({ identity }) => identity))) return;
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    throw new Error('A file was not read');
  }

  /** Lets time go by, on the clock and in what no clock counts. */
  async pass(seconds = 0): Promise<void> {
    for (let rest = seconds; rest >= 0; rest -= 0.5) {
      for (let turn = 0; turn < 4 || (this.reading > 0 && turn < 10_000); turn += 1) {
        await new Promise<void>((resolve) => setImmediate(resolve));
        await vi.advanceTimersByTimeAsync(0);
      }
      if (rest > 0) await vi.advanceTimersByTimeAsync(Math.min(rest, 0.5) * 1000);
    }
  }

  private countReading(): void {
    const stage = this;
    const read = Response.prototype.arrayBuffer;
    vi.spyOn(Response.prototype, 'arrayBuffer').mockImplementation(function (this: Response) {
      stage.reading += 1;
      return read.call(this).finally(() => {
        stage.reading -= 1;
      });
    });
  }

  lines(part: string): string[] {
    return this.api.asked.map(({ line }) => line).filter((line) => line.includes(part));
  }

  async clear(): Promise<void> {
    for (const userId of ['user-1', 'user-2', null])
      for (const { batch } of await uploadStore.list(userId)) await uploadStore.removeBatch(batch.id);
  }

  private open({ files }: UploadStart) {
    const session = `session-${this.files.size + 1}`;
    const own = files.map(({ filename }, at) => ({
      id: `${session}-${at}`,
      address: `/bytes/${session}-${at}`,
      name: filename,
      key: `key of ${session}`,
    }));
    this.files.set(session, own);
    for (const [at, { address, key }] of own.entries()) this.bytes.add(address, files[at]?.file_size ?? 0, key);
    this.api.replies[`POST /api/upload/complete/${session}`] = () => ({ json: this.complete(session) });
    this.api.replies[`DELETE /api/upload/cancel/${session}`] = () => ({ status: 204 });
    this.api.replies[`POST /api/upload/key/${session}`] = () => ({ json: { bunny_access_key: `key of ${session}` } });
    const destinations = own.map(({ id, address, name }) => ({
      id,
      filename: name,
      address,
      protocol: 'tus' as const,
    }));
    const reply = { session_id: session, upload_urls: {}, bunny_access_key: `key of ${session}`, files: destinations };
    return { status: 201, json: reply };
  }

  private complete(session: string) {
    const files = (this.files.get(session) ?? []).map(({ id, name, address }): CompletedFile => {
      const { size, length } = this.bytes.files.get(address) as { size: number; length: number };
      const isWhole = size === length;
      const status = isWhole ? 'completed' : 'uploading';
      return { id, filename: name, status, video_id: isWhole ? `video-${id}` : null, message: null };
    });
    return { success: true, videos: [], files, failed: [] };
  }
}

export const filesOf = (...named: Array<[name: string, bytes: number]>) =>
  named.map(([name, bytes]) => ({
    file: new File([new Uint8Array(bytes)], name, { type: 'video/mp4' }),
    handle: null,
  }));

export const statuses = () =>
  uploads.rows.map(({ status }) => (status.kind === 'waiting' ? `waiting: ${status.reason}` : status.kind));

export const idOf = (name: string) => uploads.rows.find((row) => row.name === name)?.id ?? '';

export type { UploadQueue };
