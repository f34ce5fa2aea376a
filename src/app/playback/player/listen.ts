type Handlers = { readonly [Name in keyof HTMLVideoElementEventMap]?: () => void };

/** Listens for several events of one element. Returns what stops it. */
export function listen(layer: HTMLVideoElement, handlers: Handlers): () => void {
  const entries = Object.entries(handlers);
  for (const [name, handle] of entries) layer.addEventListener(name, handle);
  return () => {
    for (const [name, handle] of entries) layer.removeEventListener(name, handle);
  };
}
