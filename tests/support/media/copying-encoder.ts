import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Rendition } from '#contract/rules/rendition.ts';
import { systemClock } from '#server/clock.ts';
import type { Encoded, EncodeOrder, Encoder } from '#server/media/encode/encoder.ts';
import { createWorkFolders } from '#server/media/ffmpeg/work-folders.ts';

/**
 * Encodes nothing: what it makes are the bytes of the source with the name of the rendition behind them, in real files
 * of a private folder. For what has to be known of everything around an encoder.
 */
export class CopyingEncoder implements Encoder {
  /** What was ordered so far. */
  readonly orders: (readonly Rendition[])[] = [];
  readonly pauses: boolean[] = [];
  /** Called before anything is made; what it throws is how the run ends. */
  before: (order: EncodeOrder) => Promise<void> | void = () => {};
  /** Bytes of each file; null: as many as the source has. */
  bytes: number | null = null;
  isThere = true;
  /** What it says about each file. */
  notes: Encoded['notes'] = [{ kind: 'audio', language: 'fr' }];
  private readonly workFolder: string;

  constructor(workFolder: string) {
    this.workFolder = workFolder;
  }

  facts: Encoder['facts'] = async () => (this.isThere ? { encoder: 'copy', isHardware: false, mapsTones: true } : null);

  async encode<T>(order: EncodeOrder, store: (encoded: Encoded) => Promise<T>): Promise<T> {
    this.orders.push(order.renditions);
    return createWorkFolders(this.workFolder, systemClock).use(async (folder) => {
      const source = await order.file.readFile();
      const files = order.renditions.map((rendition) => ({
        ...{
          rendition,
          file: join(folder, `${rendition}.mp4`),
          width: 960,
          height: rendition === 'grid' ? 540 : 1_080,
        },
      }));
      for (const { file, rendition } of files)
        await writeFile(file, this.contentOf(source, `${rendition}${order.audioTrack ?? ''}`));
      order.report(50);
      await this.before(order);
      order.signal.throwIfAborted();
      const tiles = { columns: 1, rows: 1, tileWidth: 160, tileHeight: 90, intervalMs: 2_000 };
      const storyboard = { webp: Buffer.concat([source.subarray(0, 20), Buffer.from('sheet')]), ...tiles };
      const vtt = Buffer.concat([Buffer.from('WEBVTT\n'), source.subarray(0, 20)]);
      const subtitles = [{ track: 0, language: 'en', label: 'English', vtt }];
      if (order.audioTrack !== undefined) return store({ files, storyboard: null, subtitles: [], notes: [] });
      return store({ files, storyboard, subtitles, notes: this.notes });
    });
  }

  setPaused(isPaused: boolean): void {
    this.pauses.push(isPaused);
  }

  private contentOf(source: Buffer, name: string): Buffer {
    const whole = Buffer.concat([source, Buffer.from(name)]);
    return this.bytes === null ? whole : Buffer.concat([whole, Buffer.alloc(this.bytes)]).subarray(0, this.bytes);
  }
}
