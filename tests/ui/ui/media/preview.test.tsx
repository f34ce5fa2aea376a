import { act } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { mediaBudget } from '#app/playback/media-budget.ts';
import { Preview } from '#app/ui/media/preview.tsx';
import { draw, settle } from '../../draw.tsx';
import { giveMedia, report } from './media-element.ts';

/** Elements that the previews load, in order: they stand nowhere in the page. */
let videos: HTMLVideoElement[];
/** Of cards that are still watched. */
let comeNear: Array<() => void>;

beforeEach(() => {
  vi.useFakeTimers();
  giveMedia();
  videos = [];
  comeNear = [];
  const create = document.createElement.bind(document);
  vi.spyOn(document, 'createElement').mockImplementation((name: string, options?: ElementCreationOptions) => {
    const element = create(name, options);
    if (element instanceof HTMLVideoElement) videos.push(element);
    return element;
  });
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      come: () => void;
      constructor(hear: (entries: object[]) => void) {
        this.come = () => hear([{ isIntersecting: true }]);
      }
      observe() {
        comeNear.push(this.come);
      }
      disconnect() {
        comeNear = comeNear.filter((come) => come !== this.come);
      }
    },
  );
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue({ drawImage: vi.fn() } as never);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const drawCards = async (...names: string[]) => {
  const screen = await draw(names.map((name) => <Preview key={name} url={`/v/${name}`} failedText="Click to tag" />));
  await settle(() => comeNear.forEach((come) => void come()));
  return screen;
};

const sources = () => videos.map((video) => video.getAttribute('src'));
const frame = { videoWidth: 1920, videoHeight: 1080, readyState: 2 };

test('nothing loads before the card comes near the screen', async () => {
  await draw(<Preview url="/v/a" failedText="Click to tag" />);
  expect(videos).toHaveLength(0);
  await settle(() => comeNear[0]?.());
  expect(sources()).toEqual(['/v/a#t=10']);
});

test('two load at a time, and each gives its decoder back once its frame is drawn', async () => {
  const screen = await drawCards('a', 'b', 'c');
  expect([sources(), mediaBudget.inUse('decoder')]).toEqual([['/v/a#t=10', '/v/b#t=10', null], 2]);
  await report(videos[0]!, frame, 'loadeddata');
  expect([sources(), mediaBudget.inUse('decoder')]).toEqual([[null, '/v/b#t=10', '/v/c#t=10'], 2]);
  const canvas = screen.querySelector('canvas');
  expect([canvas?.width, canvas?.height]).toEqual([480, 270]);
  await report(videos[1]!, frame, 'loadeddata');
  await report(videos[2]!, { ...frame, seeking: true }, 'loadeddata');
  expect(mediaBudget.inUse('decoder')).toBe(1);
  await report(videos[2]!, { seeking: false }, 'seeked');
  expect([mediaBudget.inUse('decoder'), mediaBudget.inUse('connection')]).toEqual([0, 0]);
});

test('a video that cannot be loaded leaves the words of the card', async () => {
  const screen = await drawCards('a');
  await report(videos[0]!, {}, 'error');
  expect([screen.textContent, mediaBudget.inUse('decoder')]).toEqual(['Click to tag', 0]);
});

test('one that is not answered for 15 s counts as failed, and the next one loads', async () => {
  const screen = await drawCards('a', 'b', 'c');
  await act(() => vi.advanceTimersByTimeAsync(14_999));
  expect(screen.textContent).toBe('');
  await act(() => vi.advanceTimersByTimeAsync(1));
  expect([screen.textContent, sources()]).toEqual(['Click to tagClick to tag', [null, null, '/v/c#t=10']]);
});

test('what plays goes first: a preview gives its decoder up, and loads once there is one', async () => {
  await drawCards('a');
  const others = Array.from({ length: mediaBudget.capacityOf('decoder') }, () =>
    mediaBudget.request({ needs: ['decoder'], priority: 'quadrant', granted: () => {}, revoked: () => {} }),
  );
  expect(sources()).toEqual([null]);
  others.forEach((lease) => void lease.release());
  expect(sources()).toEqual(['/v/a#t=10']);
});

test('a card that goes away gives back what it had, and what waited behind it loads', async () => {
  const { createRoot } = await import('react-dom/client');
  const root = createRoot(document.body.appendChild(document.createElement('div')));
  await settle(() => root.render(<Preview url="/v/x" failedText="Click to tag" />));
  await settle(() => comeNear[0]?.());
  await drawCards('a', 'b');
  expect(sources()).toEqual(['/v/x#t=10', '/v/a#t=10', null]);
  await settle(() => root.unmount());
  expect(sources()).toEqual([null, '/v/a#t=10', '/v/b#t=10']);
});

test("the server's still costs no decoder, and the video takes its place when it cannot be had", async () => {
  const screen = await draw(<Preview url="/v/a" posterUrl="/p/a" failedText="Click to tag" />);
  const image = screen.querySelector('img');
  expect([image?.getAttribute('src'), image?.alt, videos.length]).toEqual(['/p/a', '', 0]);
  await settle(() => void image?.dispatchEvent(new Event('error')));
  await settle(() => comeNear[0]?.());
  expect(sources()).toEqual(['/v/a#t=10']);
});

test('a video that cannot be played says why over its poster, and no frame of it is drawn, whatever becomes of the poster', async () => {
  const screen = await draw(
    <Preview url="/v/a" posterUrl="/p/a" failedText="Click to tag" message="This device cannot play it." />,
  );
  const image = screen.querySelector('img');
  expect([screen.textContent, image !== null]).toEqual(['This device cannot play it.', true]);
  await settle(() => void image?.dispatchEvent(new Event('error')));
  expect([screen.textContent, comeNear.length]).toEqual(['This device cannot play it.', 0]);
});
