import { subscribeKey } from 'valtio/vanilla/utils';
import { navigation } from '#app/state/navigation.ts';
import { taggingPages } from '#app/state/tagging-pages.ts';

type TaggingPage = (typeof taggingPages)[number]['name'];

let last: TaggingPage = 'tag-management';

subscribeKey(navigation, 'view', (view) => {
  last = taggingPages.find(({ name }) => name === view)?.name ?? last;
});

/** The tagging page that was used last: a phone's Tagging tab opens it. */
export function lastTaggingPage(): TaggingPage {
  return last;
}
