import { readIdentity } from '#device/uploads/file-identity.ts';
import type { Missing } from '#device/uploads/open-bytes.ts';
import { openBytes, trustFile } from '#device/uploads/open-bytes.ts';
import type { FileIdentity, QueuedUpload } from '#device/uploads/queued-upload.ts';
import { Staging } from '#device/uploads/staging.ts';
import type { UploadBytes } from '#device/uploads/upload-bytes.ts';
import { uploadStore } from '#device/uploads/upload-store.ts';

/** Files that were chosen in this page: it can read them without any copy, and without asking. */
class PickedFiles {
  private readonly bytes = new Map<string, UploadBytes>();
  private preparing: Promise<void> = Promise.resolve();

  async hold(id: string, file: File): Promise<void> {
    this.bytes.set(id, await trustFile(file));
  }

  /** The bytes of a file, from wherever they can be had. What it is known by is read before the first one is sent. */
  async open(upload: QueuedUpload): Promise<UploadBytes | Missing> {
    const own = this.bytes.get(upload.id) ?? (await openBytes(upload));
    if (typeof own === 'string' || upload.identity) return own;
    return (await this.identify(upload.id, own)) ? own : this.lose(upload);
  }

  /**
   * Reads what each file is known by, and copies those that could not be read again after a reload: one after another,
   * in the background. `onChange`: the list may say so now.
   */
  prepare(ids: readonly string[], onChange: () => void): void {
    for (const id of ids)
      this.preparing = this.preparing
        .then(() => this.prepareOne(id))
        .then(onChange)
        .catch(ignoreFullDevice);
  }

  private async prepareOne(id: string): Promise<void> {
    const bytes = this.bytes.get(id);
    const known = bytes ? await this.identify(id, bytes) : null;
    if (!bytes || !known || known.state === 'completed') return;
    const staging = new Staging();
    if (await staging.hasRoom(known)) await staging.stage(known, bytes);
  }

  /** Null: the file is gone, from the list or from the device. */
  private async identify(id: string, bytes: UploadBytes): Promise<QueuedUpload | null> {
    const identity = await readIdentity(bytes).catch((): FileIdentity | null => null);
    return identity && uploadStore.updateUpload(id, { identity });
  }

  private lose({ id }: QueuedUpload): Missing {
    this.bytes.delete(id);
    return 'pick-again';
  }
}

/** Without a copy it has to be chosen again after a reload, as its row says. */
function ignoreFullDevice(): void {}

export const pickedFiles = new PickedFiles();
