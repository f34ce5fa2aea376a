import { expect, test } from 'vitest';
import { watchScreenForm } from '#app/platform/input/screen-form.ts';

const move = (init: PointerEventInit) =>
  window.dispatchEvent(new PointerEvent('pointermove', { pointerType: 'mouse', ...init }));

test('a mouse that rests where a page appears is no input, and one that moves is', () => {
  const { dataset } = document.documentElement;
  watchScreenForm();
  dataset.input = 'remote';
  move({ clientX: 300, movementX: 0, movementY: 0 });
  expect(dataset.input).toBe('remote');
  move({ clientX: 303, movementX: 3, movementY: 0 });
  expect(dataset.input).toBe('pointer');
});
