import { proxy } from 'valtio/vanilla';
import { NetworkError } from '#app/platform/http/send.ts';
import { recovered } from '#app/platform/link.ts';
import { after } from '#device/timers.ts';
import type { ListFace } from './list/list-state.ts';

interface ResourceState<Value> {
  /** Null before the first reply. It is kept during a reload, and when that fails. */
  value: Value | null;
  /** The reason why the last load failed; null while offline. */
  failure: string | null;
  isOffline: boolean;
}

interface ResourceDeps<Value> {
  load: (signal: AbortSignal) => Promise<Value>;
  /** The sentence for a failed load (§8). */
  toSentence: (error: unknown) => string;
  /** Milliseconds until the next refresh, while the page is visible; null for no refresh. */
  refreshMs?: (value: Value) => number | null;
  /** Whether the value is loaded again, without a press, once the server answers after this error. */
  isTemporary?: (error: unknown) => boolean;
}

/** A reply of the server that a screen shows. Views read `state` and never write to it. */
export class Resource<Value> {
  readonly state: ResourceState<Value>;
  private readonly deps: ResourceDeps<Value>;
  private isOpen = false;
  /** Whether the last load failed for now. */
  private isWaiting = false;
  private loading = new AbortController();
  private cancelRefresh = () => {};
  private stopListening = () => {};

  constructor(deps: ResourceDeps<Value>) {
    this.deps = deps;
    this.state = proxy<ResourceState<Value>>({ value: null, failure: null, isOffline: false });
  }

  /** Loads the value. Returns a function that closes the resource and clears its state. */
  open(): () => void {
    this.close();
    this.isOpen = true;
    document.addEventListener('visibilitychange', this.onVisibility);
    const stop = recovered.listen(() => void (this.isWaiting && this.reload()));
    this.stopListening = () => {
      document.removeEventListener('visibilitychange', this.onVisibility);
      stop();
    };
    void this.reload();
    return () => this.close();
  }

  /**
   * Loads the value again. The displayed value stays until the reply. Does nothing once the resource
   * is closed, as its screen may be left before a change is answered.
   */
  async reload(): Promise<void> {
    if (!this.isOpen) return;
    this.loading.abort();
    this.loading = new AbortController();
    const { signal } = this.loading;
    try {
      const value = await this.deps.load(signal);
      if (!signal.aborted) this.show(value);
    } catch (error) {
      if (!signal.aborted) this.fail(error);
    }
    if (!signal.aborted) this.scheduleRefresh();
  }

  /**
   * Shows a value that another call has answered, and drops a load that began before it. Does
   * nothing once the resource is closed.
   */
  replace(value: Value): void {
    if (!this.isOpen) return;
    this.loading.abort();
    this.show(value);
    this.scheduleRefresh();
  }

  private close(): void {
    this.isOpen = false;
    this.loading.abort();
    this.cancelRefresh();
    this.stopListening();
    this.show(null);
  }

  private show(value: Value | null): void {
    this.isWaiting = false;
    Object.assign(this.state, { value, failure: null, isOffline: false });
  }

  private fail(error: unknown): void {
    const isOffline = error instanceof NetworkError;
    this.isWaiting = isOffline || this.deps.isTemporary?.(error) === true;
    Object.assign(this.state, { isOffline, failure: isOffline ? null : this.deps.toSentence(error) });
  }

  private refreshMs(): number | null {
    const value = this.state.value as Value | null;
    return value === null ? null : (this.deps.refreshMs?.(value) ?? null);
  }

  private scheduleRefresh(): void {
    this.cancelRefresh();
    const ms = this.refreshMs();
    if (ms !== null && !document.hidden) this.cancelRefresh = after(ms, () => void this.reload());
  }

  /** Catches up on a refresh when the page is visible again. */
  private readonly onVisibility = (): void => {
    this.cancelRefresh();
    if (!document.hidden && this.refreshMs() !== null) void this.reload();
  };
}

/** The state of a resource's place on the screen; `items` means that the value is shown. */
export function resourceFace({
  value,
  failure,
  isOffline,
}: { readonly [Key in keyof ResourceState<unknown>]: ResourceState<unknown>[Key] }): ListFace {
  if (value !== null) return 'items';
  if (isOffline) return 'offline';
  return failure === null ? 'loading' : 'failed';
}
