import { limits } from '#contract/limits.ts';
import { after } from '#device/timers.ts';
import type { MediaLease } from './media-budget.ts';
import { forgetDecoders, learnDecoders, mediaBudget } from './media-budget.ts';
import type { PlayerError } from './player/source-loading.ts';
import { answersWithVideo } from './warm-bytes.ts';

/** Errors of a file that this device cannot decode, and of any file where no decoder is free. */
const decoderErrors: readonly PlayerError[] = ['unsupported', 'decode', 'no-picture'];

/** Files whose trial is remembered. */
const maxTried = 100;

/** A source that has failed while other elements held decoders. */
interface FailedSource {
  url: string;
  lease: MediaLease;
  /** Loads it once more. */
  load(): void;
  /** It is not loaded once more: its file has failed. */
  giveUp(): void;
}

/** A trial that waits or runs. */
export interface DecoderTrial {
  /**
   * The source was loaded once more as it is, and has failed again: the network was not to blame.
   * Returns whether it is loaded with one decoder free.
   */
  freeDecoder(): boolean;
  /** Ends it. @param plays whether the source has a frame; null: it is no longer wanted */
  end(plays: boolean | null): void;
}

/**
 * Finds out whether a source has failed because of its file or because the device has no decoder
 * left: it is loaded once more, and if it fails again, with one decoder free. If it plays then, the device has as many
 * decoders as others played before. There is one trial at a time, and none while another element is
 * still loading, which may fail too.
 */
class DecoderTrials {
  /** The most elements that have had a frame at the same time. */
  private proven = 0;
  /** How many others played when a file was tried, by its URL. */
  private readonly tried = new Map<string, number>();
  private readonly waiting: Trial[] = [];
  private running: Trial | null = null;

  /** Whether a source may have failed for lack of a decoder, which was not tried yet. */
  areToBlame({ url, lease }: Pick<FailedSource, 'url' | 'lease'>, error: PlayerError): boolean {
    const others = lease.countOthers('decoder', 'live') + lease.countOthers('decoder', 'loading');
    const wasTried = (this.tried.get(url) ?? Number.POSITIVE_INFINITY) <= others;
    return decoderErrors.includes(error) && others > 0 && others >= this.proven && !wasTried;
  }

  begin(source: FailedSource): DecoderTrial {
    const trial = new Trial(source, (plays) => this.end(trial, plays));
    this.waiting.push(trial);
    after(limits.preloadTimeoutSeconds * 1000, () => {
      trial.isOverdue = true;
      this.goOn();
    });
    this.goOn();
    return trial;
  }

  /** To be called when an element has drawn its first frame, has failed or was released. */
  goOn(): void {
    this.proven = Math.max(this.proven, mediaBudget.countLive('decoder'));
    const [first] = this.waiting;
    if (!first || this.running || !first.isDue) return;
    this.waiting.shift();
    this.running = first;
    void this.run(first);
  }

  /** Forgets what holds for the feed that was open. */
  forget(): void {
    this.proven = 0;
    this.tried.clear();
  }

  private async run(trial: Trial): Promise<void> {
    const { url, giveUp } = trial.source;
    // A refusal or a portal's page says nothing about decoders.
    const isVideo = await answersWithVideo(url);
    if (this.running !== trial) return;
    if (isVideo) {
      trial.source.load();
      return;
    }
    this.running = null;
    giveUp();
    this.goOn();
  }

  private end(trial: Trial, plays: boolean | null): void {
    if (this.running === trial) {
      this.running = null;
      if (this.tried.size === maxTried) this.tried.clear();
      if (plays === false) this.tried.set(trial.source.url, trial.others);
      trial.settle(plays);
    } else if (this.waiting.includes(trial)) this.waiting.splice(this.waiting.indexOf(trial), 1);
    this.goOn();
  }
}

class Trial implements DecoderTrial {
  readonly source: FailedSource;
  readonly end: (plays: boolean | null) => void;
  /** It has waited long enough for others that load. */
  isOverdue = false;
  /** How many others played at its start. */
  others = 0;
  /** The capacities that the budget had before the trial and has during it. */
  private capacities: { before: number; during: number } | null = null;

  constructor(source: FailedSource, end: (plays: boolean | null) => void) {
    this.source = source;
    this.end = end;
  }

  get isDue(): boolean {
    return this.isOverdue || this.source.lease.countOthers('decoder', 'loading') === 0;
  }

  freeDecoder(): boolean {
    const { lease, load } = this.source;
    if (this.capacities) return false;
    const before = mediaBudget.capacityOf('decoder');
    this.others = lease.countOthers('decoder', 'live');
    if (!lease.isHeld || !lease.freeOther('decoder')) return false;
    this.capacities = { before, during: mediaBudget.capacityOf('decoder') };
    load();
    return true;
  }

  settle(plays: boolean | null): void {
    const { capacities } = this;
    if (!capacities || mediaBudget.capacityOf('decoder') !== capacities.during) return;
    if (plays) learnDecoders(this.others);
    else mediaBudget.setCapacity('decoder', capacities.before);
  }
}

export const decoderTrials = new DecoderTrials();

/** Plays four at once again; a device that cannot is found out as at first. */
export function tryFourAgain(): void {
  decoderTrials.forget();
  forgetDecoders();
}
