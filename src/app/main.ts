import { afterAskedAhead } from './platform/asked-ahead.ts';

const picturesAtMostMs = 600;

// The engine's file is on its way already (`vite.config.ts`). To run it would hold up the pictures that the page shows by itself.
afterAskedAhead(picturesAtMostMs, async () => {
  const { startEngine } = await import('./engine.ts').catch(takeBack);
  startEngine();
});
document.documentElement.dataset.started = '';

/** `too-old.js` hears of the refusal, or finds no mark when it comes later than that. */
function takeBack(refusal: unknown): never {
  delete document.documentElement.dataset.started;
  throw refusal;
}
