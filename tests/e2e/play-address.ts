import type { Colour, SeenColours } from '#tests/support/media/corpus/seen-colours.ts';

/** What a browser makes of an address. */
export interface Played {
  /** Why it does not play; null when it does. */
  readonly error: string | null;
  /** Seconds. */
  readonly duration: number;
  readonly width: number;
  readonly height: number;
  readonly colours: SeenColours;
  readonly hasSound: boolean;
}

/**
 * Runs in the page: plays each address to some of its pictures, a few at a time, in elements that nobody sees. Written
 * in the syntax of the oldest engines.
 */
export async function playAddresses(addresses: readonly string[]): Promise<Played[]> {
  type Video = HTMLVideoElement & { webkitAudioDecodedByteCount: number };
  const atOnce = 6;
  const patienceMs = 20_000;

  const colourAt = (video: Video, x: number, y: number): Colour => {
    const canvas = document.createElement('canvas');
    canvas.width = 4;
    canvas.height = 4;
    const context = canvas.getContext('2d') as CanvasRenderingContext2D;
    context.drawImage(video, 0, 0, 4, 4);
    const data = context.getImageData(x, y, 1, 1).data;
    return [Number(data[0]), Number(data[1]), Number(data[2])];
  };
  const report = (video: Video, error: string | null): Played => ({
    error,
    duration: video.duration,
    width: video.videoWidth,
    height: video.videoHeight,
    colours: {
      topLeft: colourAt(video, 0, 0),
      topRight: colourAt(video, 3, 0),
      bottomLeft: colourAt(video, 0, 3),
      bottomRight: colourAt(video, 3, 3),
    },
    hasSound: video.webkitAudioDecodedByteCount > 0,
  });
  const play = (address: string) =>
    new Promise<Played>((resolve) => {
      const video = document.createElement('video') as Video;
      const end = (error: string | null) => {
        resolve(report(video, error));
        video.removeAttribute('src');
        video.load();
      };
      video.muted = true;
      video.preload = 'auto';
      video.ontimeupdate = () => {
        if (video.currentTime > 0.2) end(null);
      };
      video.onerror = () => end(video.error === null ? 'unknown' : `${video.error.code} ${video.error.message}`);
      setTimeout(() => end('nothing has happened'), patienceMs);
      video.src = address;
      video.play().catch(() => {});
    });

  const results: Played[] = [];
  let next = 0;
  const work = async () => {
    for (let place = next++; place < addresses.length; place = next++)
      results[place] = await play(String(addresses[place]));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}
