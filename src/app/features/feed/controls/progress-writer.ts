import { playerOf } from '#app/playback/player/player-store.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { clockText } from '#contract/rules/duration.ts';
import { seekTo } from './seek.ts';

/**
 * Writes position and length of a quadrant's video where they are shown, four times a second, past React; and seeks
 * where the line is let go. Returns what stops it.
 */
export function writeProgress(quadrant: Quadrant, line: HTMLInputElement, text: HTMLElement): () => void {
  const player = playerOf(quadrant);
  let isDragged = false;
  const write = () => isDragged || show(line, text, player.position, player.duration);
  const drag = () => {
    isDragged = true;
    show(line, text, Number(line.value), player.duration);
  };
  const drop = () => {
    isDragged = false;
    seekTo(quadrant, Number(line.value));
  };
  line.addEventListener('input', drag);
  line.addEventListener('change', drop);
  const stopHearing = player.onTime(write);
  write();
  return () => {
    stopHearing();
    line.removeEventListener('input', drag);
    line.removeEventListener('change', drop);
  };
}

function show(line: HTMLInputElement, text: HTMLElement, position: number, duration: number): void {
  const isKnown = Number.isFinite(duration) && duration > 0;
  line.max = String(isKnown ? duration : 1);
  line.value = String(isKnown ? position : 0);
  line.style.setProperty('--at', String(isKnown ? Math.min(1, position / duration) : 0));
  const words = `${clockText(isKnown ? position : Number.NaN)} / ${clockText(duration)}`;
  if (text.textContent === words) return;
  text.textContent = words;
  line.setAttribute('aria-valuetext', words);
}
