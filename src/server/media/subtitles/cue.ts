/** Text that stands on the screen for a while. */
export interface Cue {
  startMs: number;
  endMs: number;
  /** Lines of WebVTT cue text: `b`, `i` and `u` that are closed, everything else as text. Never blank. */
  text: string;
}
