import type { QuadrantFilter } from '#app/state/filters/quadrant-filters.ts';
import type { TagLabel } from '#contract/entities/tag.ts';
import { limits } from '#contract/limits.ts';

/** What the chips and rows of a filter show. */
export function labelsOf(filter: QuadrantFilter | null): TagLabel[] {
  const { tagIds = [], labels = [] } = filter ?? {};
  return tagIds.map((id) => labels.find((label) => label.id === id) ?? { id, name: id, color: limits.tagColor });
}
