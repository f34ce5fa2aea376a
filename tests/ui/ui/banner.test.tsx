import { expect, test, vi } from 'vitest';
import { Banner } from '#app/ui/messages.tsx';
import { draw, press } from '../draw.tsx';

test('a failure is read out at once, all else when the reader is free', async () => {
  const failure = await draw(<Banner kind="danger" icon={null} sentence="Failed to load tags: no network" />);
  expect(failure.querySelector('[role="alert"]')?.textContent).toBe('Failed to load tags: no network');
  const notice = await draw(<Banner icon={null} sentence="You are offline." />);
  expect(notice.querySelector('[role="status"]')?.textContent).toBe('You are offline.');
  expect(notice.querySelector('button')).toBeNull();
});

test('it leads on by its action, or is put away', async () => {
  const onPress = vi.fn();
  const onDismiss = vi.fn();
  await draw(
    <Banner icon={null} sentence="Please read the agreement." action={{ label: 'Read and accept', onPress }} />,
  );
  await press('Read and accept');
  expect(onPress).toHaveBeenCalledTimes(1);
  await draw(<Banner kind="danger" icon={null} sentence="Failed." onDismiss={onDismiss} />);
  await press('Dismiss');
  expect(onDismiss).toHaveBeenCalledTimes(1);
});
