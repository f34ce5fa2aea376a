import { afterEach, expect, test, vi } from 'vitest';
import { startRemoteFocus } from '#app/platform/input/remote-focus.ts';
import { Modal } from '#app/ui/modal.tsx';
import { button, draw, press, settle } from '../../draw.tsx';
import { layOut } from '../../laid-out.ts';
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

/** A body of 900 px, of which 300 are seen. */
function makeLong(body: HTMLElement): HTMLElement {
  body.style.overflowY = 'auto';
  Object.defineProperties(body, { scrollHeight: { value: 900 }, clientHeight: { value: 300 } });
  return body;
}

const arrow = (key: 'ArrowUp' | 'ArrowDown') =>
  settle(() =>
    document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })),
  );

test('arrows scroll a long alert to its end and back, and lead to its X from the top', async () => {
  document.documentElement.dataset.form = 'tv';
  const foot = <button type="button">OK</button>;
  const screen = await draw(
    <Modal kind="alertdialog" title="Rejected" sentence="Many." onClose={onClose} foot={foot} />,
  );
  const body = makeLong(screen.querySelector('p')?.parentElement as HTMLElement);
  button('OK').focus();
  const places: number[] = [];
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowUp'] as const) {
    await arrow(key);
    places.push(body.scrollTop);
  }
  expect(places.slice(0, 2)).toEqual([150, 300]);
  expect([document.activeElement, places.slice(2)]).toEqual([button('OK'), [150, 0]]);
});

test('arrows on a field, and those that lead to something in a long body, scroll nothing', async () => {
  layOut();
  const screen = await drawModal();
  const body = makeLong(screen.querySelector('p')?.parentElement as HTMLElement);
  await arrow('ArrowDown');
  button('Close').focus();
  await arrow('ArrowUp');
  expect(body.scrollTop).toBe(0);
});
