import { vi } from 'vitest';
import { FakePage } from '../platform/focus/fake-page.ts';

interface FakeWindow {
  page: FakePage;
  /** What the address bar shows. */
  address(): string;
}

/** A window in Node: history, address bar, events. To be called before the first `backStack()` of a test file. */
export function fakeWindow(address = 'http://localhost/'): FakeWindow {
  const page = new FakePage();
  const bar = { href: address };
  const history = Object.assign(page.history, {
    replaceState: (_: unknown, __: string, next: string) => {
      bar.href = new URL(next, bar.href).href;
    },
  });
  vi.stubGlobal('window', page);
  vi.stubGlobal('history', history);
  vi.stubGlobal('location', bar);
  return { page, address: () => bar.href };
}
