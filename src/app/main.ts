import { afterPageStart, followPointer } from './start/handover.ts';

const maxPageStartMs = 600;

/** Engines before Chrome 93, Safari 15.4 and Firefox 92 lack some features. */
const polyfills = 'hasOwn' in Object ? null : import('#device/supply-polyfills.ts');

followPointer();
// The engine's file is already loading (`vite.config.ts`). Running it would delay the frames that
// the page shows by itself.
afterPageStart(maxPageStartMs, async () => {
  await polyfills?.catch(removeMark);
  const { startEngine } = await import('./engine.ts').catch(removeMark);
  startEngine();
});
document.documentElement.dataset.started = '';

/** `too-old.js` handles the rejection, or finds no mark if it runs later. */
function removeMark(refusal: unknown): never {
  delete document.documentElement.dataset.started;
  throw refusal;
}
