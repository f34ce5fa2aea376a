import { Grip, X } from 'lucide-react';
import * as gripModule from 'lucide-react/icons/grip';
import * as xModule from 'lucide-react/icons/x';
import { expect, test } from 'vitest';
import createLineIcon from '#app/ui/line-icon.tsx';
import { draw } from '../draw.tsx';

/** What the types of the package leave out. */
type IconModule = { readonly __iconData: Parameters<typeof createLineIcon>[0] };

test.each([
  [X, xModule],
  [Grip, gripModule],
])('an icon of a build looks as the package draws it', async (Packaged, module) => {
  const Built = createLineIcon((module as unknown as IconModule).__iconData);
  const [packaged, built] = (await draw([<Packaged key="packaged" />, <Built key="built" />])).children;
  packaged?.removeAttribute('class');
  expect(built?.isEqualNode(packaged ?? null)).toBe(true);
});
