import { vi } from 'vitest';

/** Stands for the images that are loaded outside of the page: which were asked for, and their arrival. */
export function fakeSheets() {
  const images: { src: string; onload: (() => void) | null }[] = [];
  vi.stubGlobal(
    'Image',
    class {
      src = '';
      onload: (() => void) | null = null;
      constructor() {
        images.push(this);
      }
    },
  );
  return {
    asked: () => images.map(({ src }) => src),
    arrive: () => {
      for (const { onload } of images) onload?.();
    },
  };
}
