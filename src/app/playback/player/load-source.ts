import { after } from '#app/platform/timers.ts';
import { onFirstFrame } from '../frames/first-frame.ts';
import { addressOf } from '../network/stream-address.ts';
import { listen } from './listen.ts';

export interface Source {
  /** Address of a stream, as the server gave it. */
  url: string;
  /** Second to start at: 0 unless said. */
  at?: number;
  /** Of which video it is, for what is counted of it. */
  videoId?: string | undefined;
}

/**
 * Why a source gives no frames. `no-picture`: it loads, but this browser cannot decode its video track. `frozen`: its
 * data is there, and it has stalled.
 */
export type PlayerError = 'network' | 'decode' | 'unsupported' | 'no-picture' | 'frozen';

/** `ready`: the first frame of the source is drawn. */
export type SourceEvent = { type: 'ready' } | { type: 'failed'; error: PlayerError };

/**
 * Puts a source into a layer and emits once whether its first frame was drawn or it failed.
 * Returns what cancels it: after that, nothing is emitted any more.
 */
export function loadSource(
  layer: HTMLVideoElement,
  { url, at = 0 }: Source,
  emit: (event: SourceEvent) => void,
): () => void {
  const stopListening = listen(layer, {
    loadedmetadata: handleMetadata,
    error: () => fail(errorOf(layer)),
  });
  const address = addressOf(url);
  const isUnderWay = layer.getAttribute('src') === address;
  if (!isUnderWay) layer.src = address;
  const ready = () => {
    cancel();
    emit({ type: 'ready' });
  };
  const cancelFrame = onFirstFrame(layer, at, ready, isUnderWay);
  // As an element's own events would: the caller has returned by then.
  const cancelPast = isUnderWay ? after(0, handlePast) : () => {};

  /** Of a source that came with its element, some may have happened before anybody listened. */
  function handlePast(): void {
    if (layer.error) fail(errorOf(layer));
    else if (layer.readyState >= HTMLMediaElement.HAVE_METADATA) handleMetadata();
  }

  function handleMetadata(): void {
    if (!hasVideoTrack(layer)) fail('no-picture');
    else if (at > 0) layer.currentTime = at;
  }

  function cancel(): void {
    cancelPast();
    stopListening();
    cancelFrame();
  }

  function fail(error: PlayerError): void {
    cancel();
    emit({ type: 'failed', error });
  }

  return cancel;
}

/** HEVC in Chromium plays its sound, has no size and reports no error. */
function hasVideoTrack(layer: HTMLVideoElement): boolean {
  return layer.videoWidth > 0;
}

export function errorOf(layer: HTMLVideoElement): PlayerError {
  switch (layer.error?.code) {
    case MediaError.MEDIA_ERR_NETWORK:
      return 'network';
    case MediaError.MEDIA_ERR_DECODE:
      return 'decode';
    default:
      return 'unsupported';
  }
}
