import { createHash } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { computeSha256, sha256 } from '#device/uploads/sha-256.ts';
import { someBytes } from './memory-files.ts';

afterEach(() => vi.unstubAllGlobals());

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const expected = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

test.each([0, 1, 3, 55, 56, 63, 64, 65, 119, 120, 1_000, 100_003])(
  '%i bytes have the digest of the standard',
  (length) => {
    const bytes = someBytes(length);
    expect(hex(computeSha256(bytes.buffer))).toBe(expected(bytes));
  },
);

test('the browser computes it where it can, and this otherwise: on plain-http addresses', async () => {
  const bytes = someBytes(70);
  expect(hex(await sha256(bytes.buffer))).toBe(expected(bytes));
  vi.stubGlobal('crypto', {});
  expect(hex(await sha256(bytes.buffer))).toBe(expected(bytes));
});
