import { onTestFinished, vi } from 'vitest';

/**
 * happy-dom lays nothing out: this gives every element a place of its own, one below the other in the order of the
 * document.
 */
export function layOut(): void {
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(function (this: HTMLElement) {
    const top = [...document.querySelectorAll('*')].indexOf(this) * 50;
    return new DOMRect(0, top, 200, 44);
  });
  vi.spyOn(HTMLElement.prototype, 'scrollIntoView').mockImplementation(() => {});
}

interface FileSystem {
  readFileSync(path: string, encoding: 'utf8'): string;
}

/** Style sheets are not read in these tests: this gives the document one, until the end of the test. */
export async function wear(sheet: string, names: Record<string, string> = {}): Promise<void> {
  const { readFileSync } = await vi.importActual<FileSystem>('node:fs');
  const style = document.createElement('style');
  const rules = readFileSync(`src/app/${sheet}`, 'utf8');
  style.textContent = rules.replace(/\.([A-Za-z]\w*)/g, (dotted, name: string) => `.${names[name] ?? dotted.slice(1)}`);
  document.head.append(style);
  onTestFinished(() => style.remove());
}
