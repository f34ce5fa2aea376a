import { useEffect, useState } from 'react';
import { addDropped, addPasted } from './add-store.ts';

/**
 * Files that are dropped anywhere on the page, or pasted, are added; the browser would open them in its place.
 * @returns whether some are held over it
 */
export function useFileDrop(): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      // Going from one element to the next is no leave of the window.
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event) || event.dataTransfer === null) return;
      event.preventDefault();
      setOver(false);
      void addDropped(event.dataTransfer);
    };
    const paste = (event: ClipboardEvent) => {
      if (event.clipboardData && event.clipboardData.files.length > 0) void addPasted(event.clipboardData.files);
    };
    const stops = [listen('dragover', over), listen('dragleave', leave), listen('drop', drop), listen('paste', paste)];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  return isOver;
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return Array.from(dataTransfer?.types ?? []).includes('Files');
}

function listen<Name extends keyof WindowEventMap>(
  name: Name,
  listener: (event: WindowEventMap[Name]) => void,
): () => void {
  window.addEventListener(name, listener);
  return () => window.removeEventListener(name, listener);
}
