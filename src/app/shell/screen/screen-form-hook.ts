import { useSyncExternalStore } from 'react';
import type { ScreenForm } from '#app/platform/input/screen-form.ts';
import { currentForm, formChanged } from '#app/platform/input/screen-form.ts';

/** The current layout; the component renders again when it changes. */
export function useScreenForm(): ScreenForm {
  return useSyncExternalStore(formChanged.listen, currentForm);
}
