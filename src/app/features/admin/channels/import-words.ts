import { countText } from '#app/ui/count-text.ts';
import type { TransferFormat } from '#contract/rules/tag.ts';
import type { ImportPlan } from './import-store.ts';

type Counts = Pick<ImportPlan, 'tags_created' | 'links_added' | 'links_present' | 'failed_count'>;

export function changesNothing({ tags_created, links_added }: Counts): boolean {
  return tags_created === 0 && links_added === 0;
}

/** What the import of a file would do, and what it would not. */
export function planTexts(plan: Counts): string[] {
  const { tags_created, links_added, links_present, failed_count } = plan;
  return [
    ...(changesNothing(plan) ? ['Nothing would change'] : []),
    ...(tags_created > 0 ? [`${countText(tags_created, 'channel')} will be created`] : []),
    ...(links_added > 0 ? [`${countText(links_added, 'assignment')} will be added`] : []),
    ...(links_present > 0 ? [`${countText(links_present, 'assignment')} already there`] : []),
    ...(failed_count > 0 ? [`${countText(failed_count, 'line')} cannot be imported`] : []),
  ];
}

/** The server counts the lines of CSV, and the channels of JSON. */
export function lineText(format: TransferFormat, line: number): string {
  return `${format === 'csv' ? 'Line' : 'Channel'} ${line.toLocaleString()}`;
}

export function moreText(count: number): string {
  return `and ${count.toLocaleString()} more`;
}
