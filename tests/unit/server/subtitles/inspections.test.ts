import { expect, test, vi } from 'vitest';
import { Inspections } from '#server/features/subtitles/subtitles.ts';
import type { LibraryVideo } from '#server/features/videos/video.ts';

const queued = { state: 'queued', progress: 0 } as const;
const film = { number: 1, size: 2, modifiedUs: 3, container: 'matroska' } as LibraryVideo;
let now = 0;
const clock = { elapsed: () => now };

test('a video is inspected once for each file, and is being processed until something is found', async () => {
  const inspect = vi.fn(async () => queued);
  const inspections = new Inspections(inspect, clock);
  expect(await inspections.request(film)).toEqual(queued);
  expect(await inspections.request(film)).toEqual(queued);
  expect(inspect).toHaveBeenCalledOnce();
  await inspections.request({ ...film, size: 4 });
  await inspections.request({ ...film, number: 2 });
  expect(inspect.mock.calls).toEqual([[1], [1], [2]]);
});

test('a container without text tracks is never inspected', async () => {
  const inspect = vi.fn(async () => queued);
  expect(await new Inspections(inspect, clock).request({ ...film, container: 'avi' })).toBeNull();
  expect(inspect).not.toHaveBeenCalled();
});

test('a video whose inspection could not begin is asked for again', async () => {
  const inspect = vi.fn().mockRejectedValueOnce(new Error('busy')).mockResolvedValue(queued);
  const inspections = new Inspections(inspect, clock);
  await expect(inspections.request(film)).rejects.toThrow('busy');
  expect(await inspections.request(film)).toEqual(queued);
});

test.each([
  ['was queued, as its job may have been cancelled', queued],
  ['was not possible', null],
])('an inspection that %s is asked for again after half a minute', async (_, first) => {
  const inspect = vi.fn().mockResolvedValueOnce(first).mockResolvedValue(queued);
  const inspections = new Inspections(inspect, clock);
  expect(await inspections.request(film)).toEqual(first);
  now += 29_999;
  expect(await inspections.request(film)).toEqual(first);
  expect(inspect).toHaveBeenCalledOnce();
  now += 1;
  expect(await inspections.request(film)).toEqual(queued);
  await inspections.request(film);
  expect(inspect).toHaveBeenCalledTimes(2);
});
