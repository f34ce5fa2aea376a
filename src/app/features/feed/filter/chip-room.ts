import { useSyncExternalStore } from 'react';
import { matches } from '#app/platform/capabilities.ts';
import { currentForm, formChanged } from '#app/platform/input/screen-form.ts';
import { limits } from '#contract/limits.ts';

/** How many chips there is room for beside the filter button. */
export function useChipRoom(): number {
  return useSyncExternalStore(listen, chipRoom);
}

function chipRoom(): number {
  if (currentForm() !== 'phone') return limits.filterChips;
  return matches('(orientation: landscape)') ? limits.filterChipsPhoneLandscape : limits.filterChipsPhonePortrait;
}

function listen(hear: () => void): () => void {
  const stop = formChanged.listen(hear);
  window.addEventListener('resize', hear);
  return () => {
    stop();
    window.removeEventListener('resize', hear);
  };
}
