import { limits } from '#contract/limits.ts';
import { after, now } from '#device/timers.ts';
import type { MediaLease } from './media-budget.ts';
import { forgetDecoders, learnDecoders, mediaBudget } from './media-budget.ts';
import type { PlayerError } from './player/source-loading.ts';
import { answersWithVideo } from './warm-bytes.ts';

/** Errors of a file that this device cannot decode, and of any file where no decoder is free. */
const decoderErrors: readonly PlayerError[] = ['unsupported', 'decode', 'no-picture'];

/**
 * The sign of an element without a decoder: an error, or a picture that stands although its data is
 * there.
 */
type DecoderSign = PlayerError | 'stands-still';

/**
 * Elements that have a decoder. A device that gives errors gives no frame without one; one that lets
 * pictures stand may give the first.
 */
const holdersBySign = { error: ['starting', 'moving', 'still'], 'stands-still': ['moving'] } as const;
/** Elements of which it is not known yet whether they have one. */
const unknownBySign = { error: ['loading'], 'stands-still': ['loading', 'starting'] } as const;

const kindOf = (sign: DecoderSign) => (sign === 'stands-still' ? sign : 'error');

/** Two videos that stand still within this time are no accident. */
const standTogetherMs = 60_000;

/** Files whose trial is remembered. */
const maxTried = 100;

interface Suspect {
  url: string;
  lease: MediaLease;
  sign: DecoderSign;
}

/** A source that gives no moving picture while other elements hold decoders. */
interface SuspectSource extends Suspect {
  /** Loads it once more. */
  load(): void;
  /** It is not loaded once more: the cause is another one. */
  giveUp(): void;
}

/** A trial that waits or runs. */
export interface DecoderTrial {
  /** Whether the source has to move, and not only to have a frame, to count as playing. */
  readonly asksForMotion: boolean;
  /**
   * The source was loaded once more as it is, and has failed again: the network was not to blame.
   * Returns whether it is loaded with one decoder free.
   */
  freeDecoder(): boolean;
  /** Ends it. @param plays whether the source plays; null: it is no longer wanted */
  end(plays: boolean | null): void;
}

/**
 * Finds out whether a source gives no moving picture because of its file or because the device has no
 * decoder left: it is loaded once more with one decoder free, and after an error first as it is. If
 * it plays then, the device has as many decoders as others had before. There is one trial at a time,
 * and none while it is not known of another element whether it has a decoder.
 */
class DecoderTrials {
  /** The most elements that have had a decoder at the same time. */
  private proven = { error: 0, 'stands-still': 0 };
  /** The last video that stood still. */
  private stood = { url: '', at: Number.NEGATIVE_INFINITY };
  /** How many others played when a file was tried, by its URL. */
  private readonly tried = new Map<string, number>();
  private readonly waiting: Trial[] = [];
  private running: Trial | null = null;

  /** Whether a source may lack a decoder, which was not tried yet. */
  areToBlame(suspect: Suspect): boolean {
    const { url, lease, sign } = suspect;
    const kind = kindOf(sign);
    if (kind === 'stands-still') this.noteStanding(url);
    const isSign = sign === 'stands-still' || decoderErrors.includes(sign);
    const others = countHolders(suspect) + (kind === 'error' ? lease.countOthers('decoder', 'loading') : 0);
    const wasTried = (this.tried.get(url) ?? Number.POSITIVE_INFINITY) <= others;
    return isSign && others > 0 && others >= this.proven[kind] && !wasTried;
  }

  begin(source: SuspectSource): DecoderTrial {
    const trial = new Trial(source, (plays) => this.end(trial, plays));
    this.waiting.push(trial);
    after(limits.preloadTimeoutSeconds * 1000, () => {
      trial.isOverdue = true;
      this.goOn();
    });
    this.goOn();
    return trial;
  }

  /** To be called when an element has drawn its first frame, moves, has failed or was released. */
  goOn(): void {
    for (const kind of ['error', 'stands-still'] as const)
      this.proven[kind] = Math.max(this.proven[kind], mediaBudget.countIn('decoder', ...holdersBySign[kind]));
    const [first] = this.waiting;
    if (!first || this.running || !first.isDue) return;
    this.waiting.shift();
    this.running = first;
    void this.run(first);
  }

  /**
   * When a second video stands, another app may have taken decoders from videos that moved before.
   */
  private noteStanding(url: string): void {
    const isSecond = url !== this.stood.url && Math.abs(now() - this.stood.at) < standTogetherMs;
    if (isSecond) this.proven['stands-still'] = 0;
    this.stood = { url, at: now() };
  }

  /** Forgets what holds for the feed that was open. */
  forget(): void {
    this.proven = { error: 0, 'stands-still': 0 };
    this.tried.clear();
  }

  private async run(trial: Trial): Promise<void> {
    const { url, giveUp, load } = trial.source;
    const isUnderWay = trial.asksForMotion ? trial.freeDecoder() : await answersWithVideo(url);
    if (this.running !== trial) return;
    if (isUnderWay && !trial.asksForMotion) load();
    if (isUnderWay) return;
    // A refusal or a portal's page says nothing about decoders.
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

/**
 * How many others have a decoder. Between two short clips nothing moves, so that all players count
 * that do not stand still: a number that is too high is corrected by the next trial.
 */
function countHolders({ lease, sign }: Suspect): number {
  if (sign === 'stands-still') return lease.countOtherPlayers('decoder');
  return lease.countOthers('decoder', ...holdersBySign.error);
}

class Trial implements DecoderTrial {
  readonly source: SuspectSource;
  readonly end: (plays: boolean | null) => void;
  /** It has waited long enough for others. */
  isOverdue = false;
  /** How many others had a decoder at its start. */
  others = 0;
  /** The capacities that the budget had before the trial and has during it. */
  private capacities: { before: number; during: number } | null = null;

  constructor(source: SuspectSource, end: (plays: boolean | null) => void) {
    this.source = source;
    this.end = end;
  }

  get isDue(): boolean {
    const { lease, sign } = this.source;
    return this.isOverdue || lease.countOthers('decoder', ...unknownBySign[kindOf(sign)]) === 0;
  }

  get asksForMotion(): boolean {
    return this.source.sign === 'stands-still';
  }

  freeDecoder(): boolean {
    const { lease, load } = this.source;
    if (this.capacities) return false;
    this.others = countHolders(this.source);
    if (!lease.isHeld || this.others === 0) return false;
    this.capacities = { before: mediaBudget.capacityOf('decoder'), during: this.others };
    lease.lowerCapacity('decoder', this.others);
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
