interface KeyHandler {
  /** Starts handling keys; returns a function that stops it. */
  watch(): () => void;
  /** Handles one key, as `watch` does. */
  handle(event: KeyboardEvent): void;
}

/** More keys than somebody presses while a file loads. */
const maxWaiting = 16;

/**
 * Handles keys by code that the first frames do not need. It is loaded when `whenDue` calls back,
 * or at once with the first key; keys that were pressed until then are handled in their order. If
 * it does not load, the next key loads it again. Returns a function that stops it.
 */
export function watchKeysLater(load: () => Promise<KeyHandler>, whenDue: (start: () => void) => void): () => void {
  const waiting: KeyboardEvent[] = [];
  let isLoading = false;
  let stop = stopWaiting;
  let isStopped = false;

  function stopWaiting(): void {
    window.removeEventListener('keydown', wait);
  }

  function wait(event: KeyboardEvent): void {
    if (waiting.length < maxWaiting) waiting.push(event);
    start();
  }

  function start(): void {
    if (isLoading || isStopped || stop !== stopWaiting) return;
    isLoading = true;
    load()
      .then(handleFromNow)
      .catch(() => waiting.splice(0))
      .finally(() => {
        isLoading = false;
      });
  }

  function handleFromNow({ watch, handle }: KeyHandler): void {
    if (isStopped) return;
    stopWaiting();
    stop = watch();
    waiting.forEach(handle);
  }

  window.addEventListener('keydown', wait);
  whenDue(start);
  return () => {
    isStopped = true;
    stop();
  };
}
