import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';

/** How an administrator comes to a view. */
export interface Way {
  /** The names of what is pressed, from the open menu on. */
  readonly path: readonly string[];
  readonly title: string;
}

/** From the menu at the side; a row of Profile leads on to Administration. `view` is the name in an address. */
export const everyView: readonly (Way & { readonly view: string })[] = [
  { path: ['Videos'], title: 'Videos', view: 'channels' },
  { path: ['Upload'], title: 'Upload Videos', view: 'upload' },
  { path: ['Tagging', 'Tag Management'], title: 'Tag Management', view: 'tag-management' },
  { path: ['Tagging', 'Video Tagging'], title: 'Video Tagging', view: 'video-tagging' },
  { path: ['Performance'], title: 'Performance Dashboard', view: 'performance' },
  { path: ['Profile'], title: 'Profile', view: 'profile' },
  { path: ['Profile', 'Administration'], title: 'Administration', view: 'admin' },
];

export async function expectView(page: Page, title: string): Promise<void> {
  await expect(page.getByRole('heading', { name: title, level: 1, exact: true })).toBeAttached();
}
