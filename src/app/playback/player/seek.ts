/**
 * §5: seeking is ignored while the duration is unknown. Beyond the ends it goes to the end. Returns whether it seeks.
 */
export function seekWithin(video: HTMLVideoElement, seconds: number): boolean {
  const { duration } = video;
  if (!Number.isFinite(duration)) return false;
  video.currentTime = Math.min(duration, Math.max(0, seconds));
  return true;
}
