import { expect, test, vi } from 'vitest';
import { Toast } from '#app/ui/messages.tsx';
import { draw, press } from '../../draw.tsx';

test('a toast with nothing to do is a sentence alone', async () => {
  const screen = await draw(<Toast icon={null} sentence="Settings saved successfully!" />);
  expect(screen.querySelector('[role="status"]')?.textContent).toBe('Settings saved successfully!');
  expect(screen.querySelector('button')).toBeNull();
});

test('a toast is put away by its X', async () => {
  const onDismiss = vi.fn();
  await draw(<Toast icon={null} sentence="Saved." onDismiss={onDismiss} />);
  await press('Dismiss');
  expect(onDismiss).toHaveBeenCalledTimes(1);
});
