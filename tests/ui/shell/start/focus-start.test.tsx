import { afterEach, expect, test, vi } from 'vitest';
import type { InputKind } from '#app/platform/input/screen-form.ts';
import { FocusStart } from '#app/shell/shell.tsx';
import { draw } from '../../draw.tsx';
import { layOut } from '../../laid-out.ts';

afterEach(() => {
  delete document.documentElement.dataset.input;
  vi.restoreAllMocks();
});

test.each<[InputKind, boolean, boolean]>([
  ['remote', true, true],
  ['key', true, true],
  ['pointer', true, false],
  ['touch', true, false],
  ['remote', false, true],
  ['pointer', false, true],
  ['touch', false, false],
])('whoever comes with a %s to a view (the feed: %s) finds the focus in it: %s', async (input, isFeed, isFound) => {
  layOut();
  document.documentElement.dataset.input = input;
  await draw(
    <main>
      <button type="button">First</button>
      <FocusStart isFeed={isFeed} />
    </main>,
  );
  expect(document.activeElement?.tagName === 'BUTTON').toBe(isFound);
});
