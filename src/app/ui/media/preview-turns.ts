const maxAtOnce = 2;

let running = 0;
const waiting: Array<() => void> = [];

/**
 * Runs at once, or when one of the previews that load has ended. Returns what ends the turn, or the wait for it; a
 * second call does nothing.
 */
export function takeTurn(run: () => void): () => void {
  let state: 'waiting' | 'running' | 'ended' = 'waiting';
  const start = () => {
    state = 'running';
    running += 1;
    run();
  };
  const end = () => {
    if (state === 'waiting') waiting.splice(waiting.indexOf(start), 1);
    if (state === 'running') running -= 1;
    state = 'ended';
    if (running < maxAtOnce) waiting.shift()?.();
  };
  if (running < maxAtOnce) start();
  else waiting.push(start);
  return end;
}
