import type { Locator } from '@playwright/test';
import { expect } from '@playwright/test';

/** Checks that no part of an element lies outside the window. */
export async function expectInWindow(element: Locator): Promise<void> {
  const sides = await element.evaluate((node) => {
    const { top, left, right, bottom } = node.getBoundingClientRect();
    return [top, left, window.innerWidth - right, window.innerHeight - bottom].filter((distance) => distance < 0);
  });
  expect(sides, 'pixels outside the window').toEqual([]);
}
