import type { EnginePage, MouseButton } from '#tests/support/engine-page.ts';

/** Actions of one device, as W3C WebDriver and WebDriver BiDi both take them. */
export type InputSource = Record<string, unknown>;

const buttons: Readonly<Record<MouseButton, number>> = { left: 0, right: 2 };

/** @param clicks after the move; two of them make a double click */
function mouseActions(x: number, y: number, button: MouseButton = 'left', clicks = 0): InputSource[] {
  const click = [
    { type: 'pointerDown', button: buttons[button] },
    { type: 'pointerUp', button: buttons[button] },
  ];
  const move = { type: 'pointerMove', x: Math.round(x), y: Math.round(y), duration: 0, origin: 'viewport' };
  return [
    {
      type: 'pointer',
      id: 'mouse',
      parameters: { pointerType: 'mouse' },
      actions: [move, ...Array.from({ length: clicks }, () => click).flat()],
    },
  ];
}

function keyActions(text: string): InputSource[] {
  const keys = [...text].flatMap((value) => [
    { type: 'keyDown', value },
    { type: 'keyUp', value },
  ]);
  return [{ type: 'key', id: 'keyboard', actions: keys }];
}

/** The mouse and the keyboard of a page whose driver takes actions. */
export abstract class ActionsPage implements Pick<EnginePage, 'moveMouse' | 'click' | 'doubleClick' | 'type'> {
  protected abstract perform(actions: InputSource[]): Promise<void>;

  moveMouse(x: number, y: number): Promise<void> {
    return this.perform(mouseActions(x, y));
  }

  click(x: number, y: number, button: MouseButton = 'left'): Promise<void> {
    return this.perform(mouseActions(x, y, button, 1));
  }

  doubleClick(x: number, y: number): Promise<void> {
    return this.perform(mouseActions(x, y, 'left', 2));
  }

  type(text: string): Promise<void> {
    return this.perform(keyActions(text));
  }
}
