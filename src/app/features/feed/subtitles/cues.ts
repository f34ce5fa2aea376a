/** Text that stands over a video for a while; seconds. */
export interface Cue {
  start: number;
  end: number;
  /** With `b`, `i`, `u` and entities, as the server writes it. */
  text: string;
}

/** The cues of a track, by their start. It is WebVTT as our server writes it, not any WebVTT. */
export function readCues(vtt: string): Cue[] {
  const [, ...blocks] = vtt.split('\n\n');
  return blocks.map(readCue).filter(({ start, end }) => start < end);
}

function readCue(block: string): Cue {
  const [times = '', ...lines] = block.split('\n');
  const [start = '', end = ''] = times.split(' --> ');
  return { start: toSeconds(start), end: toSeconds(end), text: lines.join('\n').trim() };
}

/** Of `01:02:03.400`; NaN for anything else. */
function toSeconds(time: string): number {
  return time.split(':').reduce((seconds, part) => seconds * 60 + Number(part), 0);
}

interface Moment {
  cues: Cue[];
  /** When others are to be shown, in seconds; infinite after the last. */
  changesAt: number;
}

/** What stands there at a second of the video. */
export function cuesAt(cues: readonly Cue[], seconds: number): Moment {
  const moment: Moment = { cues: [], changesAt: Number.POSITIVE_INFINITY };
  for (const cue of cues) {
    if (cue.start > seconds) {
      moment.changesAt = Math.min(moment.changesAt, cue.start);
      break;
    }
    if (cue.end <= seconds) continue;
    // Some files say everything twice.
    if (moment.cues.every(({ text }) => text !== cue.text)) moment.cues.push(cue);
    moment.changesAt = Math.min(moment.changesAt, cue.end);
  }
  return moment;
}
