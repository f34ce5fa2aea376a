/** Collects the paths where something happened, until nothing has happened there for a moment. */
export interface PathDebouncer {
  note(rootNumber: number, path: string): void;
  close(): void;
}

export interface PathDebouncerDeps {
  /** Milliseconds, by a clock that never jumps. */
  elapsed(): number;
  /** Paths by the number of their root, in no order. */
  onRest(places: Map<number, string[]>): void;
  /** More happens than is worth scanning path by path. */
  onFlood(): void;
  quietMs?: number;
  maxPlaces?: number;
}

/** Whoever copies a file writes to it at least so often. */
const quietMs = 300;
const checkEveryMs = 50;
const maxPlaces = 5_000;

export function createPathDebouncer({ elapsed, onRest, onFlood, ...more }: PathDebouncerDeps): PathDebouncer {
  const pending = new Map<string, { rootNumber: number; path: string; since: number }>();
  const maxAtOnce = more.maxPlaces ?? maxPlaces;
  let timer: NodeJS.Timeout | undefined;
  let isFlooded = false;

  function check(): void {
    timer = undefined;
    const before = elapsed() - (more.quietMs ?? quietMs);
    const atRest = [...pending].filter(([, place]) => place.since <= before);
    for (const [key] of atRest) pending.delete(key);
    if (pending.size > 0) timer = setTimeout(check, checkEveryMs);
    if (!isFlooded && atRest.length > 0) onRest(groupByRoot(atRest.map(([, place]) => place)));
    if (!isFlooded || pending.size > maxAtOnce / 2) return;
    isFlooded = false;
    onFlood();
  }

  return {
    note(rootNumber, path) {
      pending.set(`${rootNumber}:${path}`, { rootNumber, path, since: elapsed() });
      if (pending.size > maxAtOnce) isFlooded = true;
      timer ??= setTimeout(check, checkEveryMs);
    },
    close() {
      clearTimeout(timer);
      pending.clear();
    },
  };
}

function groupByRoot(places: readonly { rootNumber: number; path: string }[]): Map<number, string[]> {
  const groups = Map.groupBy(places, (place) => place.rootNumber);
  return new Map([...groups].map(([rootNumber, group]) => [rootNumber, group.map(({ path }) => path)]));
}
