import { expect, test, vi } from 'vitest';
import { BeingBuilt } from '#app/ui/loading/being-built.tsx';
import { button, draw, press } from '../../draw.tsx';

test('a view that comes later says so, and leads back to the feed', async () => {
  const onBack = vi.fn();
  const screen = await draw(<BeingBuilt title="Upload Videos" onBack={onBack} />);
  expect(screen.querySelector('h1')?.textContent).toBe('Upload Videos');
  expect(screen.textContent).toContain('This part is being built.');
  await press('Back to the feed');
  expect(onBack).toHaveBeenCalledTimes(1);
});

test('the way back has the focus, for remotes and keys', async () => {
  await draw(<BeingBuilt title="Profile" onBack={() => {}} />);
  expect(document.activeElement).toBe(button('Back to the feed'));
});
