import { afterEach, expect, test, vi } from 'vitest';
import { computeSha256, sha256 } from '#device/uploads/open-bytes.ts';
import { someBytes } from './memory-files.ts';

const { subtle } = crypto;

afterEach(() => vi.unstubAllGlobals());

const expected = async (bytes: Uint8Array<ArrayBuffer>) => new Uint8Array(await subtle.digest('SHA-256', bytes));

test.each([0, 1, 3, 55, 56, 63, 64, 65, 119, 120, 1_000, 100_003])(
  '%i bytes have the digest of the standard',
  async (length) => {
    const bytes = someBytes(length);
    expect(computeSha256(bytes.buffer)).toEqual(await expected(bytes));
  },
);

test('the browser computes it where it can, and this otherwise: on plain-http addresses', async () => {
  const bytes = someBytes(70);
  expect(await sha256(bytes.buffer)).toEqual(await expected(bytes));
  vi.stubGlobal('crypto', {});
  expect(await sha256(bytes.buffer)).toEqual(await expected(bytes));
});
