import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';

/** How an administrator comes to a view. */
export interface Way {
  /** The names of what is pressed, from the open menu on. */
  readonly path: readonly string[];
  readonly title: string;
}

/** From the menu at the side; a row of Profile leads on to Administration. */
export const everyView: readonly Way[] = [
  { path: ['Videos'], title: 'Videos' },
  { path: ['Upload'], title: 'Upload Videos' },
  { path: ['Tagging', 'Tag Management'], title: 'Tag Management' },
  { path: ['Tagging', 'Video Tagging'], title: 'Video Tagging' },
  { path: ['Performance'], title: 'Performance Dashboard' },
  { path: ['Profile'], title: 'Profile' },
  { path: ['Profile', 'Administration'], title: 'Administration' },
];

export async function expectView(page: Page, title: string): Promise<void> {
  await expect(page.getByRole('heading', { name: title, level: 1, exact: true })).toBeAttached();
}
