import { useCallback, useSyncExternalStore } from 'react';
import { subscribe } from 'valtio/vanilla';
import { currentForm, formChanged } from '#app/platform/input/screen-form.ts';
import type { ScreenForm } from '#contract/screen-forms.ts';

/** Reads a value from a store; the component renders again only when that value changes. */
export function useDerived<Value extends string | number | boolean | null>(store: object, read: () => Value): Value {
  const listen = useCallback((listener: () => void) => subscribe(store, listener), [store]);
  return useSyncExternalStore(listen, read);
}

/** The current layout; the component renders again when it changes. */
export function useScreenForm(): ScreenForm {
  return useSyncExternalStore(formChanged.listen, currentForm);
}
