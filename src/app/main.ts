import { afterAskedAhead } from './platform/asked-ahead.ts';

const answersAtMostMs = 150;

// The engine's file is on its way already (`vite.config.ts`). To run it would hold up the answers to what the page asked by itself.
afterAskedAhead(answersAtMostMs, async () => {
  const { startEngine } = await import('./engine.ts');
  startEngine();
});
