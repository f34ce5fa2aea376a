/** Of something that should move: where it is. */
export interface Vitals {
  url: string;
  seconds: number;
  /** Presented so far; null where nobody counts. */
  frames: number | null;
}

/** What is tried on one that stands still, in this order. */
export type Remedy = 'nudge' | 'reload' | 'give-up';

const remedies: readonly Remedy[] = ['nudge', 'reload', 'give-up'];

/** Looks, one a second. Sources with one picture in some seconds exist, hence the patience with pictures. */
const looksWithoutTime = 3;
const looksWithoutPictures = 12;
const looksUntilWell = 5;

/** Feels the pulse of one player and tells what to do when there is none. It counts looks, so a clock that jumps frightens nobody. */
export class Pulse {
  #patient = '';
  #last: Vitals | null = null;
  #withoutTime = 0;
  #withoutPictures = 0;
  #moving = 0;
  #tried = 0;

  /** @param vitals null while nothing should move */
  look(vitals: Vitals | null): Remedy | null {
    const last = this.#last;
    this.#last = vitals;
    if (vitals) this.#attendTo(vitals.url);
    if (!vitals || vitals.url !== last?.url) return this.#calm();
    this.#withoutTime = vitals.seconds === last.seconds ? this.#withoutTime + 1 : 0;
    this.#withoutPictures = vitals.frames !== null && vitals.frames === last.frames ? this.#withoutPictures + 1 : 0;
    return this.#judge();
  }

  /** A remedy makes one stop for a moment: it is the same patient afterwards. */
  #attendTo(url: string): void {
    if (url === this.#patient) return;
    this.#patient = url;
    this.#tried = 0;
  }

  #judge(): Remedy | null {
    const isFrozen = this.#withoutTime >= looksWithoutTime || this.#withoutPictures >= looksWithoutPictures;
    if (isFrozen) return this.#nextRemedy();
    this.#moving = this.#withoutTime === 0 && this.#withoutPictures === 0 ? this.#moving + 1 : 0;
    if (this.#moving >= looksUntilWell) this.#tried = 0;
    return null;
  }

  #nextRemedy(): Remedy | null {
    const remedy = remedies[this.#tried] ?? null;
    this.#tried += 1;
    this.#calm();
    return remedy;
  }

  #calm(): null {
    this.#withoutTime = 0;
    this.#withoutPictures = 0;
    this.#moving = 0;
    return null;
  }
}
