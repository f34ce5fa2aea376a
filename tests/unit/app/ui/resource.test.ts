import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { HttpError, NetworkError } from '#app/platform/http/send.ts';
import { recovered } from '#app/platform/link.ts';
import { Resource, resourceFace } from '#app/ui/resource.ts';

const page = Object.assign(new EventTarget(), { hidden: false });

let answers: Array<() => Promise<number>>;
let loads: number;
let refreshMs: number | null;
let resource: Resource<number>;
let close = () => {};

beforeEach(() => {
  vi.useFakeTimers();
  page.hidden = false;
  vi.stubGlobal('document', page);
  answers = [];
  loads = 0;
  refreshMs = null;
  resource = new Resource<number>({
    load: () => {
      loads += 1;
      return (answers.shift() ?? (async () => loads))();
    },
    toSentence: (error) => `Failed: ${(error as Error).message}`,
    refreshMs: () => refreshMs,
  });
});

afterEach(() => {
  close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const face = () => resourceFace(resource.state);

async function open(): Promise<void> {
  close = resource.open();
  await vi.advanceTimersByTimeAsync(0);
}

async function hide(isHidden: boolean): Promise<void> {
  page.hidden = isHidden;
  page.dispatchEvent(new Event('visibilitychange'));
  await vi.advanceTimersByTimeAsync(0);
}

const failing = (error: Error) => async () => {
  throw error;
};

describe('the faces', () => {
  test('loading, then the value', async () => {
    close = resource.open();
    expect(face()).toBe('loading');
    await vi.advanceTimersByTimeAsync(0);
    expect([face(), resource.state.value]).toEqual(['items', 1]);
  });

  test('a failure with its sentence, until another try succeeds', async () => {
    answers = [failing(new HttpError(500, 'broken'))];
    await open();
    expect([face(), resource.state.failure]).toEqual(['failed', 'Failed: broken']);
    await resource.reload();
    expect([face(), resource.state.failure]).toEqual(['items', null]);
  });

  test('offline, until the network is back', async () => {
    answers = [failing(new NetworkError())];
    await open();
    expect(face()).toBe('offline');
    recovered.emit();
    await vi.advanceTimersByTimeAsync(0);
    expect(face()).toBe('items');
    recovered.emit();
    expect(loads).toBe(2);
  });

  test('the older value stays beside a failure', async () => {
    await open();
    answers = [failing(new HttpError(500, 'broken'))];
    await resource.reload();
    expect([face(), resource.state.failure, resource.state.value]).toEqual(['items', 'Failed: broken', 1]);
  });
});

describe('by itself it is loaded again', () => {
  test('as often as it says, and not at all otherwise', async () => {
    await open();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(loads).toBe(1);
    refreshMs = 5_000;
    await resource.reload();
    await vi.advanceTimersByTimeAsync(15_000);
    expect(loads).toBe(5);
  });

  test('not in a hidden tab, and at once when that is seen again', async () => {
    refreshMs = 5_000;
    await open();
    await hide(true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(loads).toBe(1);
    await hide(false);
    expect(loads).toBe(2);
  });

  test('not after it was closed, which also forgets the value', async () => {
    refreshMs = 5_000;
    await open();
    close();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([loads, resource.state.value]).toEqual([1, null]);
  });

  test('not when a change is answered after it was closed', async () => {
    refreshMs = 5_000;
    await open();
    close();
    await resource.reload();
    resource.replace(7);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([loads, resource.state.value]).toEqual([1, null]);
  });

  test('after a failure too', async () => {
    refreshMs = 5_000;
    await open();
    answers = [failing(new HttpError(500, 'broken'))];
    await vi.advanceTimersByTimeAsync(10_000);
    expect([loads, resource.state.failure]).toEqual([3, null]);
  });
});

test('a reply that another question has overtaken is ignored', async () => {
  let answerFirst = (_: number) => {};
  answers = [() => new Promise((resolve) => (answerFirst = resolve)), async () => 22];
  close = resource.open();
  await resource.reload();
  answerFirst(11);
  await vi.advanceTimersByTimeAsync(0);
  expect(resource.state.value).toBe(22);
});
