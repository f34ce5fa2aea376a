/** One kind of event inside the app, with its listeners. */
interface Signal<Value> {
  emit(value: Value): void;
  /** Returns a function that stops listening. */
  listen(listener: (value: Value) => void): () => void;
}

export function createSignal<Value = void>(): Signal<Value> {
  const listeners = new Set<(value: Value) => void>();
  return {
    emit: (value) => {
      for (const listener of [...listeners]) listener(value);
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
