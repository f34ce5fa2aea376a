import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ViewersSection } from '#app/features/performance/performance-screen.tsx';
import { VideosSection } from '#app/features/performance/videos-section.tsx';
import { watchRemote } from '#app/shell/remote.ts';
import { LineChart } from '#app/ui/chart.tsx';
import { fakeServer } from '../admin/fake-server.ts';
import { draw, settle } from '../draw.tsx';
import { focusedName, pressKey } from '../keys.ts';
import { giveMedia } from '../ui/media/media-element.ts';
import { video as videoCard } from '../videos/library.ts';
import { withRemote } from '../with-remote.ts';

withRemote(watchRemote);

const viewer = {
  form: 'tv',
  address: '192.0.2.0/24',
  quadrants: 4,
  bandwidth_mbps: 18,
  stall_events: 0,
  since: new Date().toISOString(),
};
const troubled = { id: 'harbour', filename: 'harbour.mp4', stall_events: 3, failures: 0, minutes: 12 };

beforeEach(() => {
  giveMedia();
  fakeServer({
    'GET /api/admin/performance/viewers': () => ({ json: { total: 2, viewers: [viewer, viewer] } }),
    'GET /api/admin/performance/videos': () => ({ json: { videos: [troubled, { ...troubled, id: 'rain' }] } }),
    'GET /api/videos/harbour': () => ({ json: { video: videoCard('harbour') } }),
  });
});

afterEach(() => vi.unstubAllGlobals());

test('arrows alone lead past the charts, through all rows, to a video that Enter plays', async () => {
  document.documentElement.dataset.form = 'tv';
  const screen = await draw(
    <>
      <button type="button">Above</button>
      <LineChart label="Network bandwidth" unit="Mbps" points={[{ at: 5, value: 5 }]} from={0} to={10} />
      <ViewersSection />
      <VideosSection window="5m" />
    </>,
  );
  await vi.waitFor(() => expect(screen.querySelectorAll('tbody tr')).toHaveLength(4 + 1));
  await settle(() => screen.querySelector('button')?.focus());
  const passed: (string | null | undefined)[] = [];
  for (let presses = 0; presses < 3; presses++) {
    await pressKey('ArrowDown');
    passed.push(focusedName());
  }
  expect(passed).toEqual([expect.stringMatching(/^TV/), expect.stringMatching(/^TV/), 'Play harbour.mp4']);
  await pressKey('Enter');
  await vi.waitFor(async () => {
    await settle();
    expect(document.querySelector('[role="dialog"] h2')?.textContent).toBe('harbour.mp4');
  });
});
