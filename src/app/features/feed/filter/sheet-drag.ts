import type { RefObject } from 'react';
import { matches } from '#app/platform/capabilities.ts';
import { useDragDown } from '#app/platform/input/gestures.ts';
import { currentForm } from '#app/platform/input/screen-form.ts';

/** Part of its height from which a dragged sheet closes. */
const closingPart = 1 / 3;

/** Where the panel is a sheet, it follows a drag of its head down, and closes; a short drag leaves it open. */
export function useSheetDrag(
  head: RefObject<HTMLElement | null>,
  panel: RefObject<HTMLElement | null>,
  onClose: () => void,
): void {
  const place = (distance: number | null) => {
    if (!panel.current) return;
    panel.current.style.transition = distance === null ? '' : 'none';
    panel.current.style.transform = distance === null ? '' : `translateY(${distance}px)`;
  };
  useDragDown(head, {
    onMove: (distance) => isSheet() && place(distance),
    onDrop: (distance, isFlung) => {
      const height = panel.current?.offsetHeight ?? 0;
      if (isSheet() && (isFlung || distance > height * closingPart)) onClose();
      else place(null);
    },
    onCancel: () => place(null),
  });
}

/** As its style sheet has it. */
function isSheet(): boolean {
  return currentForm() !== 'tv' && matches('(max-width: 899px)');
}
