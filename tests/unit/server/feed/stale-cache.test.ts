import { describe, expect, test, vi } from 'vitest';
import { CircuitBreaker, StaleCache } from '#server/features/feed/pick-memory.ts';
import { settableClock } from '#tests/support/settable-clock.ts';

const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

function open(maxEntries = 10) {
  const clock = settableClock();
  const breaker = new CircuitBreaker(clock);
  const load = vi.fn<() => Promise<string>>();
  return { clock, breaker, load, known: new StaleCache<string>(breaker, maxEntries) };
}

describe('what the database said last', () => {
  test('is given while it does not answer, and it is asked again after a second', async () => {
    const { clock, load, known } = open();
    load.mockResolvedValueOnce('first').mockRejectedValueOnce(away).mockResolvedValueOnce('second');
    const read = () => known.read('a', load);
    expect(await read()).toBe('first');
    expect([await read(), await read(), await read()]).toEqual(['first', 'first', 'first']);
    expect(load).toHaveBeenCalledTimes(2);
    clock.pass(1_000);
    expect(await read()).toBe('second');
  });

  test('is not made up: without it the error is told', async () => {
    const { load, known } = open();
    load.mockRejectedValue(away);
    await expect(known.read('a', load)).rejects.toBe(away);
  });

  test('does not hide any other error', async () => {
    const { breaker, load, known } = open();
    const mistake = new Error('no such column');
    load.mockResolvedValueOnce('first').mockRejectedValueOnce(mistake);
    await known.read('a', load);
    await expect(known.read('a', load)).rejects.toBe(mistake);
    expect(breaker.isOpen).toBe(false);
  });

  test('is kept for so many keys and no more', async () => {
    const { load, known } = open(2);
    load.mockResolvedValueOnce('a').mockResolvedValueOnce('b').mockResolvedValueOnce('c').mockRejectedValue(away);
    for (const key of ['a', 'b', 'c']) await known.read(key, load);
    expect(await known.read('c', load)).toBe('c');
    await expect(known.read('a', load)).rejects.toBe(away);
  });
});
