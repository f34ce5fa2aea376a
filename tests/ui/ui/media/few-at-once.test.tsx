import { expect, test } from 'vitest';
import { learnDecoders, mediaBudget } from '#app/playback/media-budget.ts';
import { FewAtOnce } from '#app/ui/media/few-at-once.tsx';
import { draw, settle } from '../../draw.tsx';

test('a device that shows fewer than four says so, and is tried anew by a press', async () => {
  const screen = await draw(<FewAtOnce className={undefined} />);
  expect(screen.textContent).toBe('');
  await settle(() => learnDecoders(2));
  expect(screen.textContent).toBe('This device plays 2 of 4 at once.Try four again');
  expect(mediaBudget.capacityOf('decoder')).toBe(2);
  await settle(() => screen.querySelector('button')?.click());
  expect(screen.textContent).toBe('');
  expect(mediaBudget.capacityOf('decoder')).toBeGreaterThan(4);
  expect(localStorage.getItem('fourfold.decoders')).toBeNull();
});

test('a device that shows four, and none beside them, has nothing to say', async () => {
  const screen = await draw(<FewAtOnce className={undefined} />);
  await settle(() => learnDecoders(4));
  expect(screen.textContent).toBe('');
});
