let locks = 0;

/**
 * Stops the page under a dialog from scrolling, until the last of those who locked it has called the returned function.
 */
export function lockScroll(): () => void {
  locks += 1;
  mark();
  return () => {
    locks -= 1;
    mark();
  };
}

function mark(): void {
  if (locks > 0) document.documentElement.setAttribute('data-scroll-locked', '');
  else document.documentElement.removeAttribute('data-scroll-locked');
}
