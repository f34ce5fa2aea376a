/**
 * Second at which a video starts that others show already: the middle of the widest stretch between them, the end of the video being
 * joined to its beginning. Nobody shows it, or its length is unknown: 0.
 */
export function startPosition(durationSeconds: number | null, taken: readonly number[]): number {
  if (!durationSeconds || taken.length === 0) return 0;
  const points = [...taken].sort((a, b) => a - b);
  const stretches = points.map((from, index) => ({ from, length: (points[index + 1] ?? (points[0] ?? 0) + durationSeconds) - from }));
  const widest = stretches.reduce((best, stretch) => (stretch.length > best.length ? stretch : best));
  return (widest.from + widest.length / 2) % durationSeconds;
}
