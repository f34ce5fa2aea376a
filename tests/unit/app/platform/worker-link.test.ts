import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { acceptUpdate, registerWorker } from '#app/platform/worker-link.ts';

const { FakeWorkbox } = vi.hoisted(() => {
  class FakeWorkbox {
    static last: FakeWorkbox | undefined;
    readonly listeners = new Map<string, (event: object) => void>();
    readonly register = vi.fn(async () => {});
    readonly update = vi.fn(async () => {});
    readonly messageSkipWaiting = vi.fn();

    readonly address: unknown;

    constructor(address: unknown) {
      this.address = address;
      FakeWorkbox.last = this;
    }

    addEventListener(type: string, hear: (event: object) => void) {
      this.listeners.set(type, hear);
    }

    raise(type: string, event = {}) {
      this.listeners.get(type)?.(event);
    }
  }
  return { FakeWorkbox };
});

vi.mock('workbox-window', () => ({ Workbox: FakeWorkbox }));

const reload = vi.fn();
const onReady = vi.fn();
const worker = () => FakeWorkbox.last!;
const workers = (controller: object | null) =>
  Object.assign(new EventTarget(), { controller, getRegistration: async () => ({ waiting: controller }) });
/** A page of its own, as after a reload. */
async function openPage(): Promise<void> {
  vi.stubGlobal('navigator', { serviceWorker: workers({}) });
  await registerWorker(onReady);
}
const takeControl = () => navigator.serviceWorker.dispatchEvent(new Event('controllerchange'));

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubEnv('PROD', true);
  vi.stubGlobal('navigator', { serviceWorker: workers({}) });
  vi.stubGlobal('location', { reload });
  FakeWorkbox.last = undefined;
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.clearAllMocks();
});

test('a waiting version is announced and nothing reloads by itself', async () => {
  await registerWorker(onReady);
  worker().raise('waiting');
  expect(onReady).toHaveBeenCalledTimes(1);
  expect(reload).not.toHaveBeenCalled();
});

test('an accepted version takes over and the page reloads once', async () => {
  await registerWorker(onReady);
  worker().raise('waiting');
  acceptUpdate();
  expect(worker().messageSkipWaiting).toHaveBeenCalledTimes(1);
  expect(reload).not.toHaveBeenCalled();
  takeControl();
  expect(reload).toHaveBeenCalledTimes(1);
});

test('after a limit the page reloads all the same, and where the old version answers it tries again', async () => {
  stubPage('now', () => 'now');
  await registerWorker(onReady);
  worker().raise('waiting');
  acceptUpdate();
  await vi.advanceTimersByTimeAsync(4_999);
  expect(reload).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(reload).toHaveBeenCalledTimes(1);

  // The next page is of the old version, and accepts by itself what waited already, but no later version.
  await registerWorker(onReady);
  worker().raise('waiting');
  expect(worker().messageSkipWaiting).not.toHaveBeenCalled();
  expect(onReady).toHaveBeenCalledTimes(2);
  worker().raise('waiting', { wasWaitingBeforeRegister: true });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(worker().messageSkipWaiting).toHaveBeenCalledTimes(1);
  expect(onReady).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(5_000);
  for (let reloads = 2; reloads < 5; reloads += 1) {
    expect(reload).toHaveBeenCalledTimes(reloads);
    await registerWorker(onReady);
    worker().raise('waiting', { wasWaitingBeforeRegister: true });
    await vi.advanceTimersByTimeAsync(15_000);
  }

  // It does not go on like that.
  await registerWorker(onReady);
  expect(reload).toHaveBeenCalledTimes(5);
  worker().raise('waiting', { wasWaitingBeforeRegister: true });
  expect(worker().messageSkipWaiting).not.toHaveBeenCalled();
  expect(onReady).toHaveBeenCalledTimes(3);
});

test.each([1, 2])(
  'a page that the old version answered as the accepted one took over at try %i reloads once more',
  async (tries) => {
    let kept = 'old';
    stubPage('old', () => kept);
    for (let done = 0; done < tries; done += 1) {
      await openPage();
      worker().raise('waiting', { wasWaitingBeforeRegister: done > 0 });
      if (done === 0) acceptUpdate();
      await vi.advanceTimersByTimeAsync(done === 0 ? 5_000 : 15_000);
      expect(reload).toHaveBeenCalledTimes(done + 1);
    }

    kept = 'new';
    await openPage();
    expect(reload).toHaveBeenCalledTimes(tries + 1);
    expect(onReady).toHaveBeenCalledTimes(1);

    // The page after it is of the new version, and asks nothing.
    stubPage('new', () => kept);
    await openPage();
    expect(reload).toHaveBeenCalledTimes(tries + 1);
  },
);

test('a page that the old version answered before the accepted one took over reloads when that happens', async () => {
  stubPage('old', () => 'old');
  await openPage();
  worker().raise('waiting');
  acceptUpdate();
  await vi.advanceTimersByTimeAsync(5_000);
  await openPage();
  expect(reload).toHaveBeenCalledTimes(1);
  takeControl();
  expect(reload).toHaveBeenCalledTimes(2);
  expect(onReady).toHaveBeenCalledTimes(1);
});

test('a page without a worker does not take what a network answers for another build', async () => {
  stubPage('old', () => 'portal');
  await registerWorker(onReady);
  worker().raise('waiting');
  acceptUpdate();
  await vi.advanceTimersByTimeAsync(5_000);
  vi.stubGlobal('navigator', { serviceWorker: workers(null) });
  await registerWorker(onReady);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reload).toHaveBeenCalledTimes(1);
});

/** A page of a build, which keeps marks beyond a reload. @param kept the build of the active worker */
function stubPage(build: string, kept: () => string): void {
  const stored = new Map<string, string>();
  vi.stubGlobal('window', {
    sessionStorage: {
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, value: string) => void stored.set(name, value),
      removeItem: (name: string) => void stored.delete(name),
    },
  });
  vi.stubGlobal('document', { querySelector: () => ({ getAttribute: () => `/assets/${build}.js` }) });
  const page = () => new Response(`<script src="/assets/${kept()}.js"></script>`);
  vi.stubGlobal('fetch', async () => page());
}

test('the first worker of a page takes it over without a word', async () => {
  vi.stubGlobal('navigator', { serviceWorker: workers(null) });
  await registerWorker(onReady);
  takeControl();
  expect(reload).not.toHaveBeenCalled();
  expect(onReady).not.toHaveBeenCalled();
});

test('a version that another tab accepted is offered here, and reloads on consent', async () => {
  await registerWorker(onReady);
  takeControl();
  expect(reload).not.toHaveBeenCalled();
  expect(onReady).toHaveBeenCalledTimes(1);
  acceptUpdate();
  expect(reload).toHaveBeenCalledTimes(1);
});

test('a new version is looked for every hour, silently when offline', async () => {
  await registerWorker(onReady);
  worker().update.mockRejectedValue(new TypeError('Failed to update'));
  await vi.advanceTimersByTimeAsync(2 * 60 * 60 * 1000);
  expect(worker().update).toHaveBeenCalledTimes(2);
});

test('there is no worker in development, and none where the browser has none', async () => {
  vi.stubEnv('PROD', false);
  await registerWorker(onReady);
  vi.stubEnv('PROD', true);
  vi.stubGlobal('navigator', {});
  await registerWorker(onReady);
  expect(FakeWorkbox.last).toBeUndefined();
});

test('where the page takes trusted addresses alone, the policy makes the one of the worker and no other', async () => {
  let make: (url: string) => string = (url) => url;
  const createPolicy = vi.fn((_: string, rules: { createScriptURL: (url: string) => string }) => {
    make = rules.createScriptURL;
    return { createScriptURL: (url: string) => ({ trusted: make(url) }) };
  });
  vi.stubGlobal('trustedTypes', { createPolicy });
  await registerWorker(onReady);
  expect(createPolicy.mock.lastCall?.[0]).toBe('fourfold-worker');
  expect(worker().address).toEqual({ trusted: '/sw.js' });
  expect(() => make('/other.js')).toThrow('/other.js is no worker of ours');
});

test('elsewhere the worker has its plain address', async () => {
  await registerWorker(onReady);
  expect(worker().address).toBe('/sw.js');
});
