let locks = 0;

/** The page under a dialog does not scroll. Returns what gives it back; several at once are counted. */
export function lockScroll(): () => void {
  locks += 1;
  mark();
  return () => {
    locks -= 1;
    mark();
  };
}

function mark(): void {
  document.documentElement.toggleAttribute('data-scroll-locked', locks > 0);
}
