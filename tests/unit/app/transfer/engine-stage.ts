import { vi } from 'vitest';
import { PutAttempt, TusAttempt } from '#app/transfer/attempt.ts';
import { UploadEngine } from '#app/transfer/upload-engine.ts';
import { DeviceDatabase } from '#device/device-database.ts';
import type { QueuedUpload } from '#device/uploads/queued-upload.ts';
import { newBatch, newUpload } from '#device/uploads/queued-upload.ts';
import type { UploadBytes } from '#device/uploads/upload-bytes.ts';
import { UploadStore } from '#device/uploads/upload-store.ts';
import { FakeSessions } from './fake-sessions.ts';
import { FakeUploadServer, fakeSource } from './fake-upload-server.ts';

export const mib = 1024 ** 2;

/** Engines with a store, sessions and a network around them, on the clock of the test. */
export class EngineStage {
  readonly server = new FakeUploadServer();
  readonly store = new UploadStore(new DeviceDatabase('stage'));
  readonly calls = new FakeSessions(this.server, this.store);
  readonly link = { isOnline: true, isThin: false, isAllowed: true };
  /** By the file's name. */
  readonly missing: Record<string, 'pick-again' | 'permission'> = {};
  readonly refusals: string[] = [];
  unanswered = 0;
  /** Bytes of each part that was asked for. */
  readonly read: number[] = [];
  engine = this.createEngine();

  /** Stores files of these sizes, ready to be sent. @returns the batch's id */
  async add(...sizes: number[]): Promise<string> {
    const batch = newBatch({ userId: 'user-1', createdAt: Date.now(), state: 'open' });
    const drafts = sizes.map((size, at) =>
      newUpload(
        { name: `film ${at}`, size, type: 'video/mp4', lastModified: 0 },
        { batchId: batch.id, source: { kind: 'staged' }, createdAt: at },
      ),
    );
    await this.store.add(batch, drafts);
    return batch.id;
  }

  /** The page is loaded again: what it knew is gone. */
  async restart(): Promise<void> {
    this.engine.stop();
    await this.pass(0);
    this.engine = this.createEngine();
    await this.engine.reload();
  }

  async uploads(): Promise<QueuedUpload[]> {
    const all: QueuedUpload[] = [];
    for (const { uploads } of await this.store.list('user-1')) all.push(...uploads);
    return all;
  }

  async states(): Promise<string[]> {
    return (await this.uploads()).map(({ state }) => state);
  }

  /** Seconds on the clock. */
  async pass(seconds: number): Promise<void> {
    await vi.advanceTimersByTimeAsync(seconds * 1000);
  }

  private watched(source: UploadBytes): UploadBytes {
    const slice = (start: number, end: number) => {
      this.read.push(end - start);
      return source.slice(start, end);
    };
    return { size: source.size, slice };
  }

  private createEngine(): UploadEngine {
    return new UploadEngine({
      userId: 'user-1',
      records: this.store,
      calls: this.calls,
      openSource: async ({ name, size }) => this.missing[name] ?? this.watched(fakeSource(name, size)),
      createAttempt: (protocol, plan, events) =>
        new (protocol === 'tus' ? TusAttempt : PutAttempt)(plan, events, this.server),
      readLink: () => this.link,
      maxBodyBytes: () => null,
      chance: () => 0,
      onChange: () => {},
      onUnanswered: () => {
        this.unanswered += 1;
      },
      onRefused: (sentence) => void this.refusals.push(sentence),
    });
  }
}
