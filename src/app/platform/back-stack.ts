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
 */
export function createBackStack(page: BackPage): BackStack {
  const layers: Array<{ goBack: () => void }> = [];
  let isSettling = false;
  let isTravelling = false;

  /** The entry may be another page's, or one that was left behind by a reload. */
  const depth = () => Number((page.history.state as { layers?: number } | null)?.layers ?? 0);

  const settle = () => {
    isSettling = false;
    if (isTravelling) return;
    if (depth() > layers.length) {
      isTravelling = true;
      page.history.go(layers.length - depth());
    }
    while (depth() < layers.length) page.history.pushState({ layers: depth() + 1 }, '');
  };

  const settleSoon = () => {
    if (isSettling) return;
    isSettling = true;
    queueMicrotask(settle);
  };

  page.addEventListener('popstate', () => {
    if (isTravelling) isTravelling = false;
    else takeAway(layers.splice(depth()));
    settleSoon();
  });
  settleSoon();

  return {
    goBack: () => {
      if (layers.length > 0) page.history.go(-1);
      return layers.length > 0;
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
