import { prepareMode } from '../budget/prepare-mode.ts';
import { warmBytes } from '../network/warm-bytes.ts';
import type { LayerEvent } from './layer.ts';
import type { LayerPair } from './layer-pair.ts';
import type { Source } from './load-source.ts';
import type { EmitPart } from './player-event.ts';

/**
 * The video after the one that is wanted now: remembered, and prepared on the back layer only as far as the device
 * allows.
 */
export class PreparedNext {
  private readonly layers: LayerPair;
  private readonly emit: EmitPart;
  private source: Source | null = null;
  /** The back layer carries it, or waits to carry it. */
  private isLoaded = false;
  private cancelWarming = () => {};

  constructor(layers: LayerPair, emit: EmitPart) {
    this.layers = layers;
    this.emit = emit;
  }

  set(source: Source): void {
    this.drop();
    this.source = source;
  }

  drop(): void {
    if (this.isLoaded) this.layers.back.release();
    this.clear();
    this.emitReady(false);
  }

  /** What was kept, and whether the back layer has it; null when nothing was. The back layer goes with it. */
  claim(): { source: Source; isLoaded: boolean } | null {
    const claimed = this.source && { source: this.source, isLoaded: this.isLoaded };
    this.clear();
    return claimed;
  }

  /** The back layer is needed for something else. */
  clear(): void {
    this.cancelWarming();
    this.source = null;
    this.isLoaded = false;
  }

  /** Nothing is fetched for it any more. The back layer has been released. */
  suspend(): void {
    this.cancelWarming();
    this.isLoaded = false;
    this.emitReady(false);
  }

  /**
   * Uses the back layer, which is free.
   * @param takesTurns its decoder may be that of another one which is prepared
   */
  preload({ takesTurns }: { takesTurns: boolean }): void {
    if (!this.source || this.isLoaded) return;
    const { back } = this.layers;
    const mode = prepareMode();
    if (mode === 'nothing') return;
    if (mode === 'element') {
      this.isLoaded = true;
      back.load(this.source, 'ahead', this.onLayerEvent, { takesTurns });
    }
    if (!back.isHeld) this.cancelWarming = warmBytes(this.source.url);
  }

  private readonly onLayerEvent = (event: LayerEvent): void => {
    if (event.type === 'refused') return;
    if (event.type === 'failed') this.clear();
    this.emitReady(event.type === 'ready');
    if (event.type === 'failed') this.emit({ type: 'next-failed', error: event.error });
  };

  private emitReady(isNextReady: boolean): void {
    this.emit({ type: 'changed', facts: { isNextReady } });
  }
}
