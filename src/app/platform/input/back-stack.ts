/** The parts of `window` that the stack needs. */
export interface BackPage {
  history: Pick<History, 'pushState' | 'go' | 'state'>;
  addEventListener(type: 'popstate', listener: () => void): void;
}

export interface BackLayer {
  /** Removes the layer and its entry without Back. Layers above it are closed as by Back. */
  close(): void;
  /** Removes the layer and one entry without Back. Layers above it stay open. */
  withdraw(): void;
}

interface Entry {
  readonly onBack: () => void;
}

/**
 * One history entry per open view and layer; Back closes exactly one. Each entry knows its depth,
 * and the history is adjusted to the number of layers after the current event: closing a layer and
 * opening another in its place changes nothing. Below the first layer Back is left to the browser.
 *
 * The layers are removed first and the history follows, because a traversal is asynchronous: the
 * user's Back may come in between, and browsers either run both traversals or merge them into one
 * jump. A Back is therefore recognised by how far the history is below the expected depth, never by
 * the event alone.
 */
export class BackStack {
  private readonly page: BackPage;
  private readonly layers: Entry[] = [];
  private isSyncScheduled = false;
  private isTraversing = false;
  /** The depth of the history, or the one that our own traversal leads to. */
  private expectedDepth: number;

  constructor(page: BackPage) {
    this.page = page;
    this.expectedDepth = this.depth;
    page.addEventListener('popstate', () => this.onPopState());
    this.scheduleSync();
  }

  /** Adds one history entry at the same address; `onBack` runs when Back removes it. */
  open(onBack: () => void): BackLayer {
    const entry: Entry = { onBack };
    this.layers.push(entry);
    this.scheduleSync();
    return { close: () => this.close(entry), withdraw: () => this.close(entry, true) };
  }

  /**
   * Does what Back does, for keys that the browser does not handle as Back. False when no layer is
   * open.
   */
  goBack(): boolean {
    const top = this.layers.pop();
    top?.onBack();
    this.scheduleSync();
    return top !== undefined;
  }

  /**
   * The depth of the current entry, which may be another page's, or left over from before a reload.
   */
  private get depth(): number {
    return Number((this.page.history.state as { layers?: number } | null)?.layers ?? 0);
  }

  private close(entry: Entry, isAlone = false): void {
    const at = this.layers.indexOf(entry);
    if (at < 0) return;
    const [, ...above] = this.layers.splice(at, isAlone ? 1 : this.layers.length);
    closeAll(above);
    this.scheduleSync();
  }

  private onPopState(): void {
    // The user's Back came first: our own traversal is still to come.
    if (this.isTraversing && this.depth > this.expectedDepth) return;
    this.isTraversing = false;
    const backs = Math.max(0, this.expectedDepth - this.depth);
    this.expectedDepth = this.depth;
    closeAll(this.layers.splice(Math.max(0, this.layers.length - backs)));
    this.scheduleSync();
  }

  private scheduleSync(): void {
    if (this.isSyncScheduled) return;
    this.isSyncScheduled = true;
    void Promise.resolve().then(() => this.sync());
  }

  private sync(): void {
    this.isSyncScheduled = false;
    if (this.isTraversing) return;
    if (this.depth > this.layers.length) this.removeEntries();
    else this.addEntries();
  }

  private removeEntries(): void {
    this.isTraversing = true;
    this.expectedDepth = this.layers.length;
    this.page.history.go(this.expectedDepth - this.depth);
  }

  private addEntries(): void {
    try {
      while (this.depth < this.layers.length) this.page.history.pushState({ layers: this.depth + 1 }, '');
    } catch {
      // WebKit throws after more than 100 calls in 30 s. Layers without an entry can be closed by
      // keys and by their own buttons; the next change tries again.
    }
    this.expectedDepth = this.depth;
  }
}

function closeAll(layers: Entry[]): void {
  for (const { onBack } of layers.reverse()) onBack();
}

let pageStack: BackStack | undefined;

/**
 * The stack of this page. The first call also removes entries that an earlier page left before a
 * reload.
 */
export function backStack(): BackStack {
  pageStack ??= new BackStack(window);
  return pageStack;
}
