/** Half a phone's height ahead: a frame is there before its card is. */
const margin = '400px';

/** Starts something when an element comes near the screen, once. Returns what cancels it. */
export function watchNearness(element: Element, start: () => () => void): () => void {
  let cancel = () => {};
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      cancel = start();
    },
    { rootMargin: margin },
  );
  observer.observe(element);
  return () => {
    observer.disconnect();
    cancel();
  };
}
