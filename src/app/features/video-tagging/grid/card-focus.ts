import { focusOn } from '#app/platform/input/focus-scopes.ts';

export type CardStep = 'left' | 'right' | 'up' | 'down';

/** The video of the card that has the focus. */
export function focusedVideoId(): string | null {
  return document.activeElement?.closest<HTMLElement>('[data-video]')?.dataset.video ?? null;
}

export function focusCard(id: string): void {
  focusButtonOf(cards().find(({ dataset }) => dataset.video === id));
}

/**
 * The view's focus starts on its first card. Until there is one it is among the buttons above, and not in the search,
 * where the keys of the screen would be text.
 */
export function focusFirstCard(): void {
  if (document.activeElement?.closest('[data-awaits-cards]')) focusButtonOf(cards()[0]);
}

/** Moves the focus to the card beside, above or below the one that has it; at an edge it stays. */
export function focusNextCard(step: CardStep): void {
  const all = cards();
  const at = all.findIndex(({ dataset }) => dataset.video === focusedVideoId());
  const top = (card: HTMLElement) => card.getBoundingClientRect().top;
  const columns = all.filter((card) => top(card) === top(all[0] ?? card)).length;
  const steps: Record<CardStep, number> = { left: -1, right: 1, up: -columns, down: columns };
  focusButtonOf(all[at + steps[step]]);
}

function focusButtonOf(card: HTMLElement | undefined): void {
  const button = card?.querySelector('button');
  if (button) focusOn(button);
}

function cards(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('[data-video]')];
}
