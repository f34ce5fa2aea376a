import type { ViewName } from '#app/state/navigation.ts';
import { closeMenu, openView } from '#app/state/navigation.ts';

/** Closes the menu and opens the view in one step, so that the history keeps its length. */
export function chooseView(view: ViewName): void {
  closeMenu();
  openView(view);
}
