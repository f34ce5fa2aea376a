import type { CallEnd, FinishEnd, SessionCalls } from '#app/transfer/batch-sessions.ts';
import type { UploadProgress, UploadSession } from '#contract/entities/upload.ts';
import type { QueuedUpload, UploadBatch } from '#device/uploads/queued-upload.ts';
import type { UploadStore } from '#device/uploads/upload-store.ts';
import type { FakeUploadServer } from './fake-upload-server.ts';

type NotDone = Exclude<CallEnd<never>, { kind: 'done' }>;

interface Session {
  addresses: { id: string; address: string }[];
  key: string;
  status: UploadProgress['status'];
}

/** The calls about sessions, with the addresses of a `FakeUploadServer`. */
export class FakeSessions implements SessionCalls {
  readonly asked: string[] = [];
  /** By name; the next call takes the first one. */
  readonly ends: { open: NotDone[]; renewKey: NotDone[]; readProgress: NotDone[]; finish: FinishEnd[] } = {
    open: [],
    renewKey: [],
    readProgress: [],
    finish: [],
  };
  readonly sessions = new Map<string, Session>();
  protocol: 'tus' | 'put' = 'tus';
  private readonly server: FakeUploadServer;
  private readonly store: UploadStore;
  private count = 0;

  constructor(server: FakeUploadServer, store: UploadStore) {
    this.server = server;
    this.store = store;
  }

  async open(_: UploadBatch, uploads: readonly QueuedUpload[]): Promise<CallEnd<UploadSession>> {
    this.asked.push(`open ${uploads.length}`);
    const end = this.ends.open.shift();
    if (end) return end;
    const id = this.next('session');
    const session: Session = { addresses: [], key: this.next('key'), status: 'open' };
    this.sessions.set(id, session);
    const files = uploads.map(({ name, size }) => {
      const address = `/${this.next('address')}`;
      this.server.add(address, size, session.key);
      session.addresses.push({ id: this.next('file'), address });
      return { id: this.next('file'), filename: name, address, protocol: this.protocol };
    });
    return { kind: 'done', reply: { session_id: id, upload_urls: {}, bunny_access_key: session.key, files } };
  }

  async renewKey(sessionId: string): Promise<CallEnd<string>> {
    this.asked.push('renewKey');
    const end = this.ends.renewKey.shift();
    if (end) return end;
    const session = this.sessions.get(sessionId);
    if (!session) return { kind: 'refused', status: 404, sentence: 'This upload does not exist.' };
    this.changeKey(session, this.next('key'));
    return { kind: 'done', reply: session.key };
  }

  async readProgress(sessionId: string): Promise<CallEnd<UploadProgress>> {
    this.asked.push('readProgress');
    const end = this.ends.readProgress.shift();
    if (end) return end;
    const status = this.sessions.get(sessionId)?.status;
    if (!status) return { kind: 'refused', status: 404, sentence: 'This upload does not exist.' };
    return { kind: 'done', reply: { session_id: sessionId, status, files: [] } };
  }

  /** As the device does it: what was sent becomes a video. */
  async finish(batchId: string): Promise<FinishEnd> {
    const stored = await this.store.read(batchId);
    this.asked.push(`finish ${stored?.batch.state}`);
    const end = this.ends.finish.shift();
    if (end) return end;
    if (stored?.batch.state === 'cancelling') await this.store.removeBatch(batchId);
    if (stored?.batch.state !== 'completing') return 'done';
    for (const { id, state } of stored.uploads)
      if (state === 'sent') await this.store.updateUpload(id, { state: 'completed', videoId: `video of ${id}` });
    await this.store.updateBatch(batchId, { state: 'open' });
    return 'done';
  }

  /** Another key opens the session from now on, as after a renewal by somebody else. */
  changeKeys(): void {
    for (const session of this.sessions.values()) this.changeKey(session, this.next('key'));
  }

  /** The server ends all sessions by their age. */
  expire(): void {
    for (const session of this.sessions.values()) {
      session.status = 'expired';
      for (const { address } of session.addresses) this.fileAt(address).isGone = true;
    }
  }

  private changeKey(session: Session, key: string): void {
    session.key = key;
    for (const { address } of session.addresses) this.fileAt(address).key = key;
  }

  private fileAt(address: string) {
    return this.server.files.get(address) as { key: string; isGone: boolean };
  }

  private next(word: string): string {
    this.count += 1;
    return `${word}-${this.count}`;
  }
}
