import { vi } from 'vitest';
import { fakeStorage } from '../platform/fake-storage.ts';
import { fakeWindow } from './fake-window.ts';

export interface FakeBrowser {
  storage: Storage;
  sessionStorage: Storage;
  /** Tells this tab that another one has written. */
  writeElsewhere(key: string, value: string | null): void;
  reload: ReturnType<typeof vi.fn>;
  leaveFor: ReturnType<typeof vi.fn>;
}

/**
 * A window in Node with storage, events of other tabs, and an address that can be left. To be called before the first
 * `backStack()` of a test file.
 */
export function fakeBrowser(): FakeBrowser {
  const { page } = fakeWindow();
  const events = new EventTarget();
  const storage = fakeStorage();
  const sessionStorage = fakeStorage();
  Object.assign(page, {
    localStorage: storage,
    sessionStorage,
    addEventListener: (type: string, hear: () => void) =>
      type === 'popstate' ? void page.listeners.push(hear) : events.addEventListener(type, hear),
    removeEventListener: (type: string, hear: () => void) => events.removeEventListener(type, hear),
    dispatchEvent: (event: Event) => events.dispatchEvent(event),
  });
  const reload = vi.fn();
  const leaveFor = vi.fn();
  Object.assign(location, { origin: 'http://localhost', reload, assign: leaveFor });
  const writeElsewhere = (key: string, value: string | null) => {
    if (value === null) storage.removeItem(key);
    else storage.setItem(key, value);
    events.dispatchEvent(Object.assign(new Event('storage'), { key }));
  };
  return { storage, sessionStorage, writeElsewhere, reload, leaveFor };
}
