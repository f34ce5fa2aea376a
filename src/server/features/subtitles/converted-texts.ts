import { toWebVtt } from '../../media/subtitles/web-vtt.ts';

/** Of texts that were asked for last, in characters: some dozens of films. */
const keptCharacters = 8 * 1_048_576;

/**
 * Subtitles as WebVTT, by the version of their track. To convert the largest file takes a tenth of a second, in which
 * nobody else is served: once is enough.
 */
export class ConvertedTexts {
  /** The one that was used last stands last. */
  private readonly texts = new Map<string, string>();
  private characters = 0;

  /** @param read the bytes of the file; null when it is gone */
  async find(version: string, read: () => Promise<Buffer | null>): Promise<string | null> {
    const known = this.texts.get(version);
    if (known !== undefined) {
      this.texts.delete(version);
      this.texts.set(version, known);
      return known;
    }
    const bytes = await read();
    if (bytes === null) return null;
    // Whoever asked at the same time has found it already.
    const text = this.texts.get(version) ?? toWebVtt(bytes);
    this.store(version, text);
    return text;
  }

  private store(version: string, text: string): void {
    if (this.texts.has(version)) return;
    this.texts.set(version, text);
    this.characters += text.length;
    for (const [oldest, { length }] of this.texts) {
      if (this.characters <= keptCharacters || this.texts.size === 1) return;
      this.texts.delete(oldest);
      this.characters -= length;
    }
  }
}
