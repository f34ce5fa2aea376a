/** The answers that are sending bytes right now. Stopping the server asks for them. */
export interface OpenStreams {
  readonly size: number;
  /** @returns what to call when the stream has ended */
  add(cut: () => void): () => void;
  cutAll(): void;
}

export function createOpenStreams(): OpenStreams {
  const cuts = new Set<() => void>();
  return {
    get size() {
      return cuts.size;
    },
    add(cut) {
      cuts.add(cut);
      return () => cuts.delete(cut);
    },
    cutAll() {
      for (const cut of cuts) cut();
    },
  };
}
