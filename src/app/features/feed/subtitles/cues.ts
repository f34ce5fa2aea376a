import { readText } from '#app/platform/http/download.ts';
import { HttpError, NetworkError } from '#app/platform/http/send.ts';
import { recovered } from '#app/platform/link.ts';
import type { Player } from '#app/playback/player/player.ts';
import { after } from '#device/timers.ts';

/** A text shown over a video from `start` to `end`, in seconds. */
export interface Cue {
  start: number;
  end: number;
  /** Contains `b`, `i`, `u` and entities, as the server writes them. */
  text: string;
}

/**
 * Reads the cues of a track, sorted by their start. It reads WebVTT as the server writes it, not
 * any WebVTT.
 */
export function readServedCues(vtt: string): Cue[] {
  const [, ...blocks] = vtt.split('\n\n');
  return blocks.map(readCue).filter(({ start, end }) => start < end);
}

function readCue(block: string): Cue {
  const [times = '', ...lines] = block.split('\n');
  const [start = '', end = ''] = times.split(' --> ');
  return { start: toSeconds(start), end: toSeconds(end), text: lines.join('\n').trim() };
}

/** Parses `01:02:03.400`; NaN for anything else. */
function toSeconds(time: string): number {
  return time.split(':').reduce((seconds, part) => seconds * 60 + Number(part), 0);
}

interface Moment {
  cues: Cue[];
  /** When the cues change next, in seconds; infinite after the last one. */
  changesAt: number;
}

/** The cues at a position of the video. */
export function cuesAt(cues: readonly Cue[], seconds: number): Moment {
  const moment: Moment = { cues: [], changesAt: Number.POSITIVE_INFINITY };
  for (const cue of cues) {
    if (cue.start > seconds) {
      moment.changesAt = Math.min(moment.changesAt, cue.start);
      break;
    }
    if (cue.end <= seconds) continue;
    // Some files contain every cue twice.
    if (moment.cues.every(({ text }) => text !== cue.text)) moment.cues.push(cue);
    moment.changesAt = Math.min(moment.changesAt, cue.end);
  }
  return moment;
}

/**
 * Loads a track; without a network, or while the server is too busy, it loads it later. Returns a
 * function that stops it.
 */
export function loadCues(url: string, onCues: (cues: Cue[]) => void): () => void {
  let isEnded = false;
  let isWaiting = false;
  const load = async () => {
    isWaiting = false;
    try {
      const vtt = await readText({ method: 'GET', path: url });
      if (!isEnded) onCues(readServedCues(vtt));
    } catch (error) {
      // A track that was removed leaves the video without subtitles.
      isWaiting = error instanceof NetworkError || isTemporary(error);
    }
  };
  const stop = recovered.listen(() => {
    if (isWaiting) void load();
  });
  void load();
  return () => {
    isEnded = true;
    stop();
  };
}

/** Whether an error is the refusal of a server that is too busy, or fails at the moment. */
export function isTemporary(error: unknown): boolean {
  return error instanceof HttpError && (error.status === 429 || error.status >= 500);
}

/** The player emits its time four times a second; a change that comes sooner needs a timer. */
const soonSeconds = 0.3;
/** Timers and the media clock differ by a few milliseconds. */
const lateMs = 10;

/**
 * Reports the cues at the current position, whenever they change. Returns a function that stops it.
 */
export function watchCues(
  player: Pick<Player, 'position' | 'onTime'>,
  cues: readonly Cue[],
  show: (cues: readonly Cue[]) => void,
): () => void {
  let shown: readonly Cue[] = [];
  let cancel = () => {};
  const update = () => {
    const at = player.position;
    const moment = cuesAt(cues, at);
    if (!isSame(moment.cues, shown)) {
      shown = moment.cues;
      show(shown);
    }
    return moment.changesAt - at;
  };
  const onTime = () => {
    cancel();
    const seconds = update();
    // The timer does not start another one, or a paused video would restart it forever.
    if (seconds < soonSeconds) cancel = after(seconds * 1_000 + lateMs, update);
  };
  const stop = player.onTime(onTime);
  onTime();
  return () => {
    stop();
    cancel();
  };
}

function isSame(one: readonly Cue[], other: readonly Cue[]): boolean {
  return one.length === other.length && one.every((cue, at) => cue === other[at]);
}
