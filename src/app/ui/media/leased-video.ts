import type { MediaLease, MediaResource, Priority } from '../../playback/media-budget.ts';
import { mediaBudget } from '../../playback/media-budget.ts';
import { pointTo, releaseVideo } from '../../playback/player/video-element.ts';

interface LeasedVideoDeps {
  element: HTMLVideoElement;
  url: string;
  /** Start position in seconds. */
  at: number;
  priority: Priority;
  needs: readonly MediaResource[];
  /**
   * The element has its source. Called again after `onDetach`; playback continues at the last
   * position.
   */
  onAttach: () => void;
  /** A claim of higher priority took the decoder. */
  onDetach?: () => void;
}

/**
 * An element that has a source only while it holds its lease of the device's media budget (decision
 * 0019).
 */
export class LeasedVideo {
  private readonly deps: LeasedVideoDeps;
  private at: number;
  private lease: MediaLease | null = null;

  constructor(deps: LeasedVideoDeps) {
    this.deps = deps;
    this.at = deps.at;
  }

  get isHeld(): boolean {
    return this.lease?.isHeld ?? false;
  }

  open(): void {
    const { needs, priority } = this.deps;
    const lease = mediaBudget.request({
      needs,
      priority,
      takesTurns: priority === 'modal',
      granted: () => this.attach(),
      revoked: () => this.detach(),
    });
    this.lease = lease;
    if (lease.isHeld) this.attach();
  }

  /** Releases source, decoder and connection. */
  close(): void {
    releaseVideo(this.deps.element);
    this.lease?.release();
    this.lease = null;
  }

  private attach(): void {
    const { element, url, onAttach } = this.deps;
    pointTo(element, url, this.at > 0 ? `${url}#t=${this.at}` : url);
    onAttach();
  }

  private detach(): void {
    const { element, onDetach } = this.deps;
    if (element.readyState > 0) this.at = element.currentTime;
    releaseVideo(element);
    onDetach?.();
  }
}
