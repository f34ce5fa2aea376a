import type { Quadrant } from '#contract/quadrants.ts';
import { DragHandle } from '../controls/drag-handle.tsx';
import { FilterBar } from '../filter/filter-bar.tsx';

/** What a quadrant has beside its first controls. Loaded with the first activity, so that no first frame waits for it. */
export function OnDemand({ quadrant }: { quadrant: Quadrant }) {
  return (
    <>
      <FilterBar quadrant={quadrant} />
      <DragHandle quadrant={quadrant} />
    </>
  );
}
