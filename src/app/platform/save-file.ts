import { after } from './timers.ts';

/** Some engines read the address only after the press has returned. */
const addressLastsMs = 60_000;

/** Saves it with the browser's downloads. */
export function saveFile(file: Blob, filename: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  Object.assign(link, { href: url, download: filename });
  link.click();
  after(addressLastsMs, () => URL.revokeObjectURL(url));
}
