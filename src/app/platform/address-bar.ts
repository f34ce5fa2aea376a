/** Reads a parameter of the page's address and removes it, so that a reload or a shared address does not repeat it. */
export function consumeSearchParam(name: string): string | null {
  const address = new URL(location.href);
  const value = address.searchParams.get(name);
  if (value === null) return null;
  address.searchParams.delete(name);
  history.replaceState(history.state, '', address.pathname + address.search + address.hash);
  return value;
}
