import { settle } from './draw.tsx';

/**
 * A key as a browser handles it. What no listener takes presses the focused button or box, or submits the form of the
 * focused field: happy-dom does none of these by itself.
 */
export const pressKey = (key: string) =>
  settle(() => {
    const target = document.activeElement ?? document.body;
    const fire = (type: string) =>
      !target.dispatchEvent(new KeyboardEvent(type, { key, bubbles: true, cancelable: true }));
    const isTaken = fire('keydown');
    fire('keyup');
    if (isTaken) return;
    const isButton = target instanceof HTMLButtonElement;
    const isBox = target instanceof HTMLInputElement && target.type === 'checkbox';
    if ((isButton && (key === 'Enter' || key === ' ')) || (isBox && key === ' ')) target.click();
    else if (key === 'Enter' && target instanceof HTMLInputElement) target.form?.requestSubmit();
  });

export const pressKeys = async (...keys: string[]) => {
  for (const key of keys) await pressKey(key);
};

/** Replaces the text of the focused field. */
export const type = (text: string) =>
  settle(() => {
    const input = document.activeElement as HTMLInputElement;
    // The prototype's setter: React puts one of its own on the element, and ignores an event whose value that one has
    // seen.
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text);
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });

/** How screen readers call what has the focus. */
export const focusedName = () => {
  const { activeElement: element } = document;
  const label = element?.id ? document.querySelector(`label[for="${element.id}"]`) : null;
  return element?.getAttribute('aria-label') ?? (label ?? element)?.textContent;
};
