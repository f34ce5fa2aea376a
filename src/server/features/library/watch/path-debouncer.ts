/** Places where something happened, until nothing has happened there for a moment. */
export interface RestlessPlaces {
  note(rootNumber: number, path: string): void;
  close(): void;
}

export interface PathDebouncerDeps {
  /** Milliseconds, by a clock that never jumps. */
  elapsed(): number;
  /** Paths by the number of their root, in no order. */
  onRest(places: Map<number, string[]>): void;
  /** More happens than is worth looking at one by one. */
  onFlood(): void;
  quietMs?: number;
  mostPlaces?: number;
}

/** Whoever copies a file writes to it at least so often. */
const quietMs = 300;
const lookEveryMs = 50;
const mostPlaces = 5_000;

export function createRestlessPlaces({ elapsed, onRest, onFlood, ...more }: PathDebouncerDeps): RestlessPlaces {
  const restless = new Map<string, { rootNumber: number; path: string; since: number }>();
  const mostAtOnce = more.mostPlaces ?? mostPlaces;
  let timer: NodeJS.Timeout | undefined;
  let isFlooded = false;

  function look(): void {
    timer = undefined;
    const before = elapsed() - (more.quietMs ?? quietMs);
    const atRest = [...restless].filter(([, place]) => place.since <= before);
    for (const [key] of atRest) restless.delete(key);
    if (restless.size > 0) timer = setTimeout(look, lookEveryMs);
    if (!isFlooded && atRest.length > 0) onRest(groupByRoot(atRest.map(([, place]) => place)));
    if (!isFlooded || restless.size > mostAtOnce / 2) return;
    isFlooded = false;
    onFlood();
  }

  return {
    note(rootNumber, path) {
      restless.set(`${rootNumber}:${path}`, { rootNumber, path, since: elapsed() });
      if (restless.size > mostAtOnce) isFlooded = true;
      timer ??= setTimeout(look, lookEveryMs);
    },
    close() {
      clearTimeout(timer);
      restless.clear();
    },
  };
}

function groupByRoot(places: readonly { rootNumber: number; path: string }[]): Map<number, string[]> {
  const groups = Map.groupBy(places, (place) => place.rootNumber);
  return new Map([...groups].map(([rootNumber, group]) => [rootNumber, group.map(({ path }) => path)]));
}
