import { useState } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { startRemoteFocus } from '#app/platform/input/remote-focus.ts';
import { CheckRow } from '#app/ui/form/check-row.tsx';
import { PasswordField, TextField } from '#app/ui/form/text-field.tsx';
import { button, draw, press, settle } from '../../draw.tsx';

const nothing = () => {};

afterEach(() => vi.restoreAllMocks());

test('a field is named by its label and described by what is wrong, or by what helps', async () => {
  const screen = await draw(
    <TextField label="Email" value="" onChange={nothing} hint="Only for recovery" isOptional />,
  );
  const input = screen.querySelector('input');
  const described = () => document.getElementById(input?.getAttribute('aria-describedby') ?? '')?.textContent;
  expect(screen.querySelector(`label[for="${input?.id}"]`)?.textContent).toBe('Email (optional)');
  expect([described(), input?.getAttribute('aria-invalid')]).toEqual(['Only for recovery', 'false']);
});

test('a refused field says so, with its sentence in place of the hint', async () => {
  const screen = await draw(
    <TextField label="Email" value="" onChange={nothing} hint="Only for recovery" problem="Email is required" />,
  );
  const input = screen.querySelector('input');
  expect(input?.getAttribute('aria-invalid')).toBe('true');
  expect(document.getElementById(input?.getAttribute('aria-describedby') ?? '')?.textContent).toBe('Email is required');
  expect(screen.textContent).not.toContain('Only for recovery');
});

test('a password is hidden until its eye is pressed', async () => {
  const screen = await draw(
    <PasswordField label="Password" value="north pier" onChange={nothing} autoComplete="current-password" />,
  );
  const type = () => screen.querySelector('input')?.type;
  expect(type()).toBe('password');
  await press('Show password');
  expect(type()).toBe('text');
  await press('Hide password');
  expect(type()).toBe('password');
});

test('a box takes a press and gives its new state', async () => {
  function Row() {
    const [isOn, setOn] = useState(false);
    return <CheckRow label="Show statistics" isOn={isOn} onChange={setOn} />;
  }
  const screen = await draw(<Row />);
  const input = screen.querySelector('input');
  await settle(() => input?.click());
  expect(input?.checked).toBe(true);
});

test('a box stands before its count in one look, also where that is 0', async () => {
  const rowOf = (end: number) => <CheckRow label="Cities" isOn={false} onChange={nothing} end={end} />;
  const ends = [await draw(rowOf(3)), await draw(rowOf(0))].map((screen) => screen.querySelector('label')?.lastChild);
  const look = (end: Node | null | undefined) => (end instanceof HTMLElement ? [end.tagName, end.className] : null);
  expect(ends.map((end) => end?.textContent)).toEqual(['3', '0']);
  expect(look(ends[1])).toEqual(look(ends[0]));
});

test('with a remote, Right at the end of a password leads to its eye', async () => {
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(function (this: HTMLElement) {
    return this.tagName === 'BUTTON' ? new DOMRect(160, 0, 40, 40) : new DOMRect(0, 0, 200, 40);
  });
  vi.spyOn(HTMLElement.prototype, 'scrollIntoView').mockImplementation(nothing);
  document.documentElement.dataset.form = 'tv';
  const stop = startRemoteFocus();
  const screen = await draw(
    <PasswordField label="Password" value="pier" onChange={nothing} autoComplete="current-password" />,
  );
  const input = screen.querySelector('input') as HTMLInputElement;
  const right = () =>
    settle(
      () =>
        void input.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true, cancelable: true })),
    );
  input.focus();
  input.setSelectionRange(1, 1);
  await right();
  expect(document.activeElement).toBe(input);
  input.setSelectionRange(4, 4);
  await right();
  expect(document.activeElement).toBe(button('Show password'));
  stop();
  delete document.documentElement.dataset.form;
});
