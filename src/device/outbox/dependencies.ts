import { nameKey } from '#contract/rules/text.ts';
import type { OutboxEntry } from './outbox-entry.ts';

type Change = Pick<OutboxEntry, 'call' | 'params' | 'body' | 'temporaryId'>;

/** What a change alters, and what has to be there for it; by keys of this module. */
interface Touched {
  alters: string[];
  needs: string[];
}

/** Whether the outcome of a change may be another one when an earlier change is done after it. */
export function dependsOn(later: Change, earlier: Change): boolean {
  const [after, before] = [touchedBy(later), touchedBy(earlier)];
  const meets = (one: readonly string[], other: readonly string[]) => one.some((key) => other.includes(key));
  return meets(after.alters, before.alters) || meets(after.needs, before.alters) || meets(after.alters, before.needs);
}

function touchedBy({ call, params, body, temporaryId }: Change): Touched {
  const { name, tag_ids = [] } = (body ?? {}) as { name?: string; tag_ids?: readonly string[] };
  const names = name === undefined ? [] : [`name ${nameKey(name)}`];
  const needs = tag_ids.map(tagKey);
  switch (call) {
    case 'createTag':
      return { alters: [...names, ...(temporaryId === null ? [] : [tagKey(temporaryId)])], needs };
    case 'updateTag':
    case 'deleteTag':
      return { alters: [...names, tagKey(params?.id ?? '')], needs };
    case 'assignTags':
    case 'removeTag':
      return { alters: [`video ${params?.path}`], needs: [...needs, ...(params?.tagId ? [tagKey(params.tagId)] : [])] };
    default:
      return { alters: [call], needs };
  }
}

function tagKey(id: string): string {
  return `tag ${id}`;
}
