import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BufferLease } from '#server/features/streaming/buffer-pool.ts';
import { BufferPool } from '#server/features/streaming/buffer-pool.ts';

const kib = 1024;

describe('memory for streaming', () => {
  test('is used again, the last that came back first', async () => {
    const pool = new BufferPool(2048 * kib);
    const [first, second] = [await pool.acquire(256 * kib), await pool.acquire(256 * kib)];
    first.release();
    second.release();
    expect((await pool.acquire(256 * kib)).buffer).toBe(second.buffer);
    expect(pool.kept).toBe(256 * kib);
  });

  test('is lent in turn once the cap is reached', async () => {
    const pool = new BufferPool(2048 * kib);
    const first = await pool.acquire(1024 * kib);
    const order: string[] = [];
    const takeAs = async (name: string, bytes: number) => {
      const lease = await pool.acquire(bytes);
      order.push(name);
      return lease;
    };
    const [large, medium] = [takeAs('large', 1024 * kib), takeAs('medium', 256 * kib)];
    expect(pool.inFlight).toBe(1024 * kib);
    first.release();
    (await large).release();
    await medium;
    expect(order).toEqual(['large', 'medium']);
  });

  test('is lent to one after the other of those who wait, however much one of them asks for', async () => {
    const pool = new BufferPool(64 * kib);
    const lent = await pool.acquire(64 * kib);
    const [many, one] = [{}, {}];
    const order: string[] = [];
    const takeAs = async (name: string, owner: object) => {
      const lease = await pool.acquire(64 * kib, owner);
      order.push(name);
      lease.release();
    };
    const all = [takeAs('a', many), takeAs('b', many), takeAs('c', many), takeAs('one', one)];
    lent.release();
    await Promise.all(all);
    expect(order).toEqual(['a', 'one', 'b', 'c']);
  });

  test('has a share for those who get little at a time: they do not wait for those who get much', async () => {
    const pool = new BufferPool(2048 * kib);
    await pool.acquire(1024 * kib);
    const isWaiting = Symbol('waiting');
    const large = pool.acquire(1024 * kib);
    expect(await Promise.race([large, Promise.resolve(isWaiting)])).toBe(isWaiting);
    expect((await pool.acquire(1)).buffer.length).toBe(64 * kib);
  });

  test('that something may still look at is never lent again', async () => {
    const pool = new BufferPool(2048 * kib);
    const lease = await pool.acquire(256 * kib);
    lease.abandon();
    expect([pool.inFlight, pool.kept]).toEqual([0, 0]);
    expect((await pool.acquire(256 * kib)).buffer).not.toBe(lease.buffer);
  });

  test('that waits for a client who does not read keeps nobody else waiting', async () => {
    const pool = new BufferPool(256 * kib);
    const stalled = await pool.acquire(256 * kib);
    const next = pool.acquire(256 * kib);
    stalled.park();
    expect((await next).buffer).not.toBe(stalled.buffer);
    stalled.release();
    expect(pool.inFlight).toBe(256 * kib);
  });

  test('is lent beyond need only while there is plenty', async () => {
    const pool = new BufferPool(1024 * kib);
    expect(pool.tryAcquireSpare(256 * kib)).not.toBeNull();
    expect(pool.tryAcquireSpare(1)).toBeNull();
  });

  test('never exceeds its cap, whatever is taken and given back', async () => {
    const step = fc.record({
      bytes: fc.integer({ min: 1, max: 1024 * kib }),
      end: fc.constantFrom('release' as const, 'abandon' as const),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const pool = new BufferPool(2048 * kib);
        const held: BufferLease[] = [];
        for (const { bytes, end } of steps) {
          let isLent = false;
          const taken = pool.acquire(bytes).finally(() => {
            isLent = true;
          });
          // A turn of the loop: whoever can be served is.
          for (await new Promise(setImmediate); !isLent; await new Promise(setImmediate)) held.shift()?.[end]();
          const lease = await taken;
          expect(lease.buffer.length).toBeGreaterThanOrEqual(bytes);
          held.push(lease);
          expect(pool.inFlight).toBeLessThanOrEqual(2048 * kib);
          expect(pool.inFlight + pool.kept).toBeLessThanOrEqual(2 * 2048 * kib);
        }
        for (const lease of held) lease.release();
        expect(pool.inFlight).toBe(0);
      }),
    );
  });
});
