/** Runs after the browser has drawn two frames: what was changed before is on screen by then. Returns what cancels it. */
export function afterTwoFrames(run: () => void): () => void {
  let frame = requestAnimationFrame(() => {
    frame = requestAnimationFrame(run);
  });
  return () => cancelAnimationFrame(frame);
}
