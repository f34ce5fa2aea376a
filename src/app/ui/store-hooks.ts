import { useCallback, useSyncExternalStore } from 'react';
import { subscribe } from 'valtio/vanilla';
import { currentForm, formChanged } from '#app/platform/input/screen-form.ts';
import type { ScreenForm } from '#contract/screen-forms.ts';

/** What a view reads of a store. It is drawn anew when that changes, and not with every change of the store. */
export function useDerived<Value extends string | number | boolean | null>(store: object, read: () => Value): Value {
  const listen = useCallback((hear: () => void) => subscribe(store, hear), [store]);
  return useSyncExternalStore(listen, read);
}

/** The current layout; the component renders again when it changes. */
export function useScreenForm(): ScreenForm {
  return useSyncExternalStore(formChanged.listen, currentForm);
}
