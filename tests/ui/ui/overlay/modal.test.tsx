import { afterEach, expect, test, vi } from 'vitest';
import { startRemoteFocus } from '#app/platform/focus/remote-focus.ts';
import { Modal } from '#app/ui/overlay/modal.tsx';
import { button, draw, press, settle } from '../../draw.tsx';
import { withRemote } from '../../with-remote.ts';

const onClose = vi.fn();
withRemote(startRemoteFocus);
afterEach(() => void onClose.mockReset());

const drawModal = () =>
  draw(
    <Modal title="Create Tag" sentence="Names are unique." onClose={onClose}>
      <input aria-label="Name" />
      <button type="button">Save</button>
    </Modal>,
  );

const tab = (shiftKey = false) =>
  settle(() =>
    document.activeElement?.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Tab', shiftKey, bubbles: true, cancelable: true }),
    ),
  );

test('it is a modal dialog, named by its title and described by its sentence', async () => {
  const screen = await drawModal();
  const dialog = screen.querySelector('[role="dialog"]');
  expect(dialog?.getAttribute('aria-modal')).toBe('true');
  const text = (attribute: string) => document.getElementById(dialog?.getAttribute(attribute) ?? '')?.textContent;
  expect([text('aria-labelledby'), text('aria-describedby')]).toEqual(['Create Tag', 'Names are unique.']);
});

test('the focus starts on its first field, not on Close, and Tab goes round inside', async () => {
  const screen = await drawModal();
  expect(document.activeElement).toBe(screen.querySelector('input'));
  await tab(true);
  expect(document.activeElement).toBe(button('Close'));
  await tab();
  expect(document.activeElement).toBe(screen.querySelector('input'));
});

test('what had the focus has it again afterwards, and the page scrolls again', async () => {
  const opener = document.body.appendChild(document.createElement('button'));
  opener.focus();
  const { createRoot } = await import('react-dom/client');
  const host = document.body.appendChild(document.createElement('div'));
  const root = createRoot(host);
  await settle(() => root.render(<Modal title="Create Tag" onClose={onClose} />));
  expect(document.activeElement).toBe(button('Close'));
  expect(document.documentElement.hasAttribute('data-scroll-locked')).toBe(true);
  await settle(() => root.unmount());
  expect(document.activeElement).toBe(opener);
  expect(document.documentElement.hasAttribute('data-scroll-locked')).toBe(false);
});

test('the X and the backdrop close it, a press inside does not', async () => {
  const screen = await drawModal();
  await settle(() => screen.querySelector<HTMLElement>('[role="dialog"]')?.click());
  expect(onClose).not.toHaveBeenCalled();
  await settle(() => (screen.firstElementChild as HTMLElement).click());
  expect(onClose).toHaveBeenCalledTimes(1);
  await press('Close');
  expect(onClose).toHaveBeenCalledTimes(2);
});
