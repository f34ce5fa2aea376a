let mark: string | null = null;

/** Under which this viewer's lists are cached on the device; null until it is known who is here. */
export function viewerMark(): string | null {
  return mark;
}

export function setViewerMark(next: string | null): void {
  mark = next;
}
