import { useSyncExternalStore } from 'react';
import { currentForm, formChanged } from '#app/platform/input/screen-form.ts';
import type { ScreenForm } from '#contract/screen-forms.ts';

/** The current layout; the component renders again when it changes. */
export function useScreenForm(): ScreenForm {
  return useSyncExternalStore(formChanged.listen, currentForm);
}
