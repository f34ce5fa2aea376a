interface KeyHandler {
  /** Starts handling keys; returns a function that stops it. */
  watch(): () => void;
  /** Handles one key, as `watch` does. */
  handle(event: KeyboardEvent): void;
}

export type KeyStroke = Pick<KeyboardEvent, 'key' | 'keyCode'> &
  Partial<Pick<KeyboardEvent, 'altKey' | 'ctrlKey' | 'metaKey'>>;

/** `event.key` of keys without a standard name on webOS, Tizen and Xbox. */
const namelessKeys: readonly unknown[] = [undefined, '', 'Unidentified', 'Undefined'];

export function isNameless({ key }: KeyStroke): boolean {
  return namelessKeys.includes(key);
}

export function hasModifier({ altKey, ctrlKey, metaKey }: KeyStroke): boolean {
  return Boolean(altKey || ctrlKey || metaKey);
}

/** Whether a key of a keyboard, a remote or a gamepad means OK. */
export function isOkKey(event: KeyStroke): boolean {
  const { key, keyCode } = event;
  if (hasModifier(event)) return false;
  if (isNameless(event)) return keyCode === 13 || keyCode === 195;
  return /^(Enter|Select|Accept|GamepadA)$/.test(key);
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
