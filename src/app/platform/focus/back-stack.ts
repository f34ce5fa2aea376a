/** What the stack needs of the page. */
export interface BackPage {
  history: Pick<History, 'pushState' | 'go' | 'state'>;
  addEventListener(type: 'popstate', hear: () => void): void;
}

export interface Layer {
  /** Takes the layer away without Back, and its history entry with it. Layers above it go as by Back. */
  close(): void;
}

export interface BackStack {
  /** Adds one history entry at the same address; `onBack` runs when Back takes it away. */
  open(onBack: () => void): Layer;
  /** Does what Back does, for keys that the browser does not take for it. False when no layer is open. */
  goBack(): boolean;
}

/**
 * One history entry per open view and layer; Back closes exactly one. Each entry knows its depth, and the history is brought
 * to as many entries as there are layers once the current event is through: a layer that is closed and another opened in its
 * place move nothing. Below the first layer Back is left to the browser.
 *
 * The layers go first and the history follows, because a traversal takes its time: Back of the browser may come in between,
 * and browsers either run both traversals or make one jump of them. So a Back is known by how far the history has gone beyond
 * where it was expected, never by the event alone.
 */
export function createBackStack(page: BackPage): BackStack {
  const layers: Array<{ goBack: () => void }> = [];
  let isSettling = false;
  let isTravelling = false;

  /** The entry may be another page's, or one that was left behind by a reload. */
  const depth = () => Number((page.history.state as { layers?: number } | null)?.layers ?? 0);

  /** Where the history is, or where our own traversal leads. */
  let expected = depth();

  const settle = () => {
    isSettling = false;
    if (isTravelling) return;
    if (depth() > layers.length) travel();
    else addEntries();
  };

  const travel = () => {
    isTravelling = true;
    expected = layers.length;
    page.history.go(expected - depth());
  };

  /** WebKit throws at more than 100 in 30 s. Layers without an entry close by keys and by themselves; the next change tries again. */
  const addEntries = () => {
    try {
      while (depth() < layers.length) page.history.pushState({ layers: depth() + 1 }, '');
    } catch {}
    expected = depth();
  };

  const settleSoon = () => {
    if (isSettling) return;
    isSettling = true;
    queueMicrotask(settle);
  };

  page.addEventListener('popstate', () => {
    // Back of the browser came first: our own traversal is still to come.
    if (isTravelling && depth() > expected) return;
    isTravelling = false;
    const backs = Math.max(0, expected - depth());
    expected = depth();
    takeAway(layers.splice(Math.max(0, layers.length - backs)));
    settleSoon();
  });
  settleSoon();

  return {
    goBack: () => {
      const top = layers.pop();
      top?.goBack();
      settleSoon();
      return top !== undefined;
    },
    open: (onBack) => {
      const layer = { goBack: onBack };
      layers.push(layer);
      settleSoon();
      return {
        close: () => {
          const at = layers.indexOf(layer);
          if (at < 0) return;
          const [, ...above] = layers.splice(at);
          takeAway(above);
          settleSoon();
        },
      };
    },
  };
}

function takeAway(layers: Array<{ goBack: () => void }>): void {
  for (const layer of layers.reverse()) layer.goBack();
}

let pageStack: BackStack | undefined;

/** The stack of this page. The first call also clears what a reload left of an earlier one. */
export function backStack(): BackStack {
  pageStack ??= createBackStack(window);
  return pageStack;
}
