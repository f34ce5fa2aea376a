import { subscribeKey } from 'valtio/vanilla/utils';
import { navigation } from '#app/state/navigation.ts';

const pages = ['tag-management', 'video-tagging'] as const;

type TaggingPage = (typeof pages)[number];

let last: TaggingPage = 'tag-management';

subscribeKey(navigation, 'view', (view) => {
  last = pages.find((page) => page === view) ?? last;
});

/** The tagging page that was used last: a phone's Tagging tab opens it. */
export function lastTaggingPage(): TaggingPage {
  return last;
}
