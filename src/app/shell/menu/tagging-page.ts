import { subscribeKey } from 'valtio/vanilla/utils';
import { navigation } from '#app/state/navigation.ts';

const pages = ['tag-management', 'video-tagging'] as const;

type TaggingPage = (typeof pages)[number];

let last: TaggingPage = 'tag-management';

subscribeKey(navigation, 'view', (view) => {
  last = pages.find((page) => page === view) ?? last;
});

/** Which of its two pages Tagging leads to on a phone: the one that was used last. */
export function lastTaggingPage(): TaggingPage {
  return last;
}
