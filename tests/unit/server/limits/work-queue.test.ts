import { expect, test } from 'vitest';
import { Unavailable } from '#server/http/pipeline/errors.ts';
import { WorkQueue } from '#server/limits/work-queue.ts';

/** Work that goes on until it is told to end. */
function openWork(queue: WorkQueue, begun: string[], name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const result = queue.run(() => {
    begun.push(name);
    return promise;
  });
  return { result, end: () => resolve(name), fail: () => reject(new Error(name)) };
}

test('work beyond what may be done at once begins in turn', async () => {
  const begun: string[] = [];
  const queue = new WorkQueue({ atOnce: 2, maxWaiting: 9 });
  const [first, second, third, fourth] = ['a', 'b', 'c', 'd'].map((name) => openWork(queue, begun, name));
  expect(begun).toEqual(['a', 'b']);
  second?.end();
  await second?.result;
  expect(begun).toEqual(['a', 'b', 'c']);
  first?.end();
  await first?.result;
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
  for (const work of [third, fourth]) work?.end();
  expect(await Promise.all([third?.result, fourth?.result])).toEqual(['c', 'd']);
});

test('work that fails gives its place to the next', async () => {
  const begun: string[] = [];
  const queue = new WorkQueue({ atOnce: 1, maxWaiting: 1 });
  const [failing, next] = ['a', 'b'].map((name) => openWork(queue, begun, name));
  failing?.fail();
  await expect(failing?.result).rejects.toThrow('a');
  next?.end();
  expect(await next?.result).toBe('b');
});

test('work that would wait behind too much is refused, and later work is not', async () => {
  const begun: string[] = [];
  const queue = new WorkQueue({ atOnce: 1, maxWaiting: 1, refusal: 'Too many at once.' });
  const [running, waiting] = ['a', 'b'].map((name) => openWork(queue, begun, name));
  await expect(queue.run(async () => begun.push('c'))).rejects.toThrow(new Unavailable('Too many at once.'));
  for (const work of [running, waiting]) work?.end();
  await Promise.all([running?.result, waiting?.result]);
  expect(await queue.run(async () => 'd')).toBe('d');
  expect(begun).toEqual(['a', 'b']);
});

test('work that nobody wants any more leaves the queue, and is not begun', async () => {
  const begun: string[] = [];
  const queue = new WorkQueue({ atOnce: 1, maxWaiting: 1 });
  const first = openWork(queue, begun, 'a');
  const leaving = new AbortController();
  const gone = queue.run(async () => begun.push('b'), leaving.signal);
  leaving.abort(new Unavailable());
  await expect(gone).rejects.toThrow(Unavailable);
  // Its place is free again.
  const next = openWork(queue, begun, 'c');
  first.end();
  next.end();
  await Promise.all([first.result, next.result]);
  expect(begun).toEqual(['a', 'c']);
  await expect(queue.run(async () => begun.push('d'), leaving.signal)).rejects.toThrow(Unavailable);
  expect(begun).toEqual(['a', 'c']);
});
