import { expect, test } from 'vitest';
import { Avatar } from '#app/ui/badge.tsx';
import { draw, settle } from '../../draw.tsx';

test('a picture that does not load gives way to the first letter of the name', async () => {
  const screen = await draw(<Avatar url="/a.png" initial="M" className={undefined} />);
  const image = screen.querySelector('img');
  expect([image?.getAttribute('src'), screen.textContent]).toEqual(['/a.png', '']);
  await settle(() => image?.dispatchEvent(new Event('error')));
  expect([screen.querySelector('img'), screen.textContent]).toEqual([null, 'M']);
});

test('without a picture the first letter stands in its place, for the eyes alone', async () => {
  const screen = await draw(<Avatar url={null} initial="M" className={undefined} />);
  expect(screen.querySelector('[aria-hidden="true"]')?.textContent).toBe('M');
});
