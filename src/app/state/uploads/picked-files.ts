import { readIdentity } from '#device/uploads/file-identity.ts';
import type { Missing } from '#device/uploads/open-bytes.ts';
import { openBytes, trustFile } from '#device/uploads/open-bytes.ts';
import type { FileIdentity, QueuedUpload } from '#device/uploads/queued-upload.ts';
import { Staging } from '#device/uploads/staging.ts';
import type { UploadBytes } from '#device/uploads/upload-bytes.ts';
import { uploadStore } from '#device/uploads/upload-store.ts';

/** Files that were chosen in this page: it can read them without any copy, and without asking. */
class PickedFiles {
  private readonly files = new Map<string, File>();
  private preparing: Promise<void> = Promise.resolve();

  /** @throws where the device cannot read it */
  async hold(id: string, file: File): Promise<void> {
    await trustFile(file);
    this.files.set(id, file);
  }

  fileOf(id: string): File | undefined {
    return this.files.get(id);
  }

  /** The bytes of a file, from wherever they can be had. What it is known by is read before the first one is sent. */
  async open(upload: QueuedUpload): Promise<UploadBytes | Missing> {
    const bytes = (await this.read(upload.id)) ?? (await openBytes(upload));
    if (typeof bytes === 'string' || upload.identity) return bytes;
    return (await this.identify(upload.id, bytes)) ? bytes : 'pick-again';
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
    const bytes = await this.read(id);
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

  /** Engines lose files that were chosen a while ago. */
  private async read(id: string): Promise<UploadBytes | null> {
    const file = this.files.get(id);
    const bytes = file ? await trustFile(file).catch(() => null) : null;
    if (!bytes) this.files.delete(id);
    return bytes;
  }
}

/** Without a copy it has to be chosen again after a reload, as its row says. */
function ignoreFullDevice(): void {}

export const pickedFiles = new PickedFiles();
