/** Far beyond a line of `-progress`. */
const keptCharacters = 4_096;

/** Reads what ffmpeg says by `-progress`: one `key=value` a line, `out_time_us` among them. */
export class ProgressReader {
  private readonly durationMs: number | null;
  private readonly report: (progress: number) => void;
  private rest = '';

  /** @param report 0 to 99: what is left is done without ffmpeg */
  constructor(durationMs: number | null, report: (progress: number) => void) {
    this.durationMs = durationMs;
    this.report = report;
  }

  read(chunk: Buffer): void {
    const lines = (this.rest + chunk.toString('latin1')).split('\n');
    this.rest = (lines.pop() ?? '').slice(0, keptCharacters);
    const times = lines.flatMap((line) => /^out_time_us=(\d{1,15})$/.exec(line)?.[1] ?? []);
    const last = times[times.length - 1];
    if (last === undefined || this.durationMs === null || this.durationMs <= 0) return;
    this.report(Math.min(99, (Number(last) / 1000 / this.durationMs) * 100));
  }
}
