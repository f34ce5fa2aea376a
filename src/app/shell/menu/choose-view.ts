import type { ViewName } from '#app/state/navigation.ts';
import { closeMenu, openView } from '#app/state/navigation.ts';

/** The menu goes and the view comes: one layer in place of another, so the history stays as long as it is. */
export function chooseView(view: ViewName): void {
  closeMenu();
  openView(view);
}
