import { after } from '#device/timers.ts';

/** RST, as when a process or a route dies; FIN, as when the other side closes. */
export type CutKind = 'reset' | 'end';

interface CutOptions {
  kind?: CutKind;
  /** Counts from the body of the first request, or answer, whose head holds this; else from the next byte. */
  inBodyOf?: string;
}

interface Cut {
  left: number;
  readonly kind: CutKind;
  bodyOf: string | undefined;
  readonly made: () => void;
}

interface Waiter {
  readonly bytes: number;
  readonly run: () => void;
}

/** While bytes are throttled they are forwarded so many times a second. */
const partsPerSecond = 20;
const endOfHead = '\r\n\r\n';

/** What the network does to the bytes of one direction, of all connections. Every change acts on open ones, too. */
export class Direction {
  private forwarded = 0;
  private delayMs = 0;
  private bytesPerSecond = Number.POSITIVE_INFINITY;
  private isLossy = false;
  private opening: Promise<void> | null = null;
  private open = () => {};
  private cut: Cut | null = null;
  private waiters: Waiter[] = [];

  /** Bytes that were forwarded so far. */
  get bytes(): number {
    return this.forwarded;
  }

  get isLosing(): boolean {
    return this.isLossy;
  }

  /** Takes all faults away, but for a cut that is still to come. What has stalled goes on. */
  pass(): void {
    this.delayMs = 0;
    this.bytesPerSecond = Number.POSITIVE_INFINITY;
    this.isLossy = false;
    this.opening = null;
    this.open();
  }

  /** Bytes stay where they are, and senders are held up once the buffers are full, until `pass`. */
  stall(): void {
    this.opening ??= new Promise((resolve) => {
      this.open = resolve;
    });
  }

  /** Bytes disappear, and nobody is told, until `pass`. */
  lose(): void {
    this.isLossy = true;
  }

  /** For each connection. */
  throttle(bytesPerSecond: number): void {
    this.bytesPerSecond = bytesPerSecond;
  }

  /** Bytes arrive later, in their order, without being throttled by it. */
  delay(ms: number): void {
    this.delayMs = ms;
  }

  /**
   * Forwards so many bytes more, and then cuts the connection that the next one comes on, once. It replaces a cut that
   * is still to come.
   * @returns resolves when the cut is made
   */
  cutAfter(bytes: number, { kind = 'reset', inBodyOf }: CutOptions = {}): Promise<void> {
    return new Promise((made) => {
      this.cut = { left: bytes, kind, bodyOf: inBodyOf, made };
    });
  }

  /** @returns resolves when so many bytes have been forwarded in all */
  whenForwarded(bytes: number): Promise<void> {
    return new Promise((run) => {
      this.waiters.push({ bytes, run });
      this.notify();
    });
  }

  /** @returns resolves at once while nothing is stalled */
  async whenOpen(): Promise<void> {
    while (this.opening) await this.opening;
  }

  /** @returns resolves after the delay as it is now */
  whenDue(): Promise<void> | undefined {
    return this.delayMs > 0 ? wait(this.delayMs) : undefined;
  }

  /** How many bytes of a piece may be forwarded now; none: the cut is due. */
  claim(piece: Buffer): number {
    const size = Math.min(piece.length, Math.max(1, Math.floor(this.bytesPerSecond / partsPerSecond)));
    if (!this.cut) return size;
    const free = bytesBeforeCount(this.cut, piece);
    if (free > 0) return Math.min(size, free);
    const claimed = Math.min(size, this.cut.left);
    this.cut.left -= claimed;
    return claimed;
  }

  /** @returns the kind of the cut, which is over with that; null when none is due */
  makeCut(): CutKind | null {
    if (this.cut?.left !== 0 || this.cut.bodyOf !== undefined) return null;
    const { kind, made } = this.cut;
    this.cut = null;
    made();
    return kind;
  }

  /** @returns resolves when the next piece may follow */
  async count(bytes: number): Promise<void> {
    this.forwarded += bytes;
    this.notify();
    if (Number.isFinite(this.bytesPerSecond)) await wait((bytes / this.bytesPerSecond) * 1_000);
  }

  private notify(): void {
    const reached = this.waiters.filter(({ bytes }) => bytes <= this.forwarded);
    this.waiters = this.waiters.filter((waiter) => !reached.includes(waiter));
    for (const { run } of reached) run();
  }
}

/** On loopback a head comes in one piece. */
function bytesBeforeCount(cut: Cut, piece: Buffer): number {
  if (cut.bodyOf === undefined) return 0;
  const at = piece.indexOf(cut.bodyOf);
  if (at < 0) return piece.length;
  cut.bodyOf = undefined;
  return piece.indexOf(endOfHead, at) + endOfHead.length;
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => void after(ms, resolve));
}
