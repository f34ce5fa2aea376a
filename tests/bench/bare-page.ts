import { quadrants } from '#contract/quadrants.ts';

/**
 * The peer: one HTML file, four `<video>` tags in a CSS grid, no script but the click that plays them, or the first few.
 * Nothing that shows the same pixels can be faster.
 */
export function drawBarePage(videoAddresses: readonly string[], playing: number = quadrants.length): string {
  const videos = quadrants.map(
    (_, at) =>
      `<video muted playsinline preload="auto" src="${escapeAttribute(videoAddresses[at % videoAddresses.length] ?? '')}"></video>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Bare page</title>
<style>
body { margin: 0; background: #000; }
main { display: grid; grid-template: 1fr 1fr / 1fr 1fr; gap: 2px; height: 100vh; }
video { width: 100%; height: 100%; min-height: 0; object-fit: cover; }
</style>
<main>${videos.join('')}</main>
<script>onclick = () => { for (const video of [...document.querySelectorAll('video')].slice(0, ${playing})) video.play(); };</script>
</html>`;
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}
