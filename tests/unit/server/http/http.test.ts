import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Clock } from '#server/clock.ts';
import { isNamed } from '#server/http/pipeline/representation.ts';
import { encodePathSegment } from '#server/http/pipeline/request-parsing.ts';
import { toFastifyPath } from '#server/http/pipeline/route.ts';
import type { MediaGrant } from '#server/http/signing.ts';
import { createMediaUrlSigner } from '#server/http/signing.ts';

const hourMs = 3_600_000;

function clockAt(startMs: number): Clock & { pass(ms: number): void } {
  let now = startMs;
  return {
    now: () => now,
    elapsed: () => now,
    pass(ms) {
      now += ms;
    },
  };
}

describe('a signed media address', () => {
  const grant: MediaGrant = { viewer: 'viewer', videoId: 'video', rendition: 'source', right: 'everybody' };
  const key = Buffer.alloc(32, 1);

  test('is good for twelve hours and a little, then no longer', () => {
    const clock = clockAt(1_700_000_123_456);
    const signer = createMediaUrlSigner(key, clock);
    const signature = signer.sign(grant);
    clock.pass(12 * hourMs);
    expect(signer.isGranted(grant, signature)).toBe(true);
    clock.pass(hourMs);
    expect(signer.isGranted(grant, signature)).toBe(false);
  });

  test('stays the same for a while, so that a cache knows it again', () => {
    const clock = clockAt(1_700_000_000_000);
    const signer = createMediaUrlSigner(key, clock);
    const first = signer.sign(grant);
    clock.pass(60_000);
    expect(signer.sign(grant)).toEqual(first);
  });

  test.each([
    ['another viewer', { ...grant, viewer: 'other' }],
    ['another video', { ...grant, videoId: 'other' }],
    ['another rendition', { ...grant, rendition: 'hd' as const }],
    ['another right', { ...grant, right: 'hd' as const }],
    ['parts that run together', { ...grant, viewer: 'viewer\nvideo', videoId: '' }],
  ])('is not good for %s', (_, other) => {
    const signer = createMediaUrlSigner(key, clockAt(0));
    expect(signer.isGranted(other, signer.sign(grant))).toBe(false);
  });

  test('with a changed expiry, a changed signature or of another key is not good', () => {
    const signer = createMediaUrlSigner(key, clockAt(0));
    const { expires, signature } = signer.sign(grant);
    expect(signer.isGranted(grant, { expires: expires + 1, signature })).toBe(false);
    expect(signer.isGranted(grant, { expires, signature: `A${signature.slice(1)}` })).toBe(signature.startsWith('A'));
    expect(signer.isGranted(grant, { expires, signature: '' })).toBe(false);
    expect(signer.isGranted(grant, { expires: Number.NaN, signature })).toBe(false);
    expect(createMediaUrlSigner(Buffer.alloc(32, 2), clockAt(0)).isGranted(grant, { expires, signature })).toBe(false);
  });
});

describe('an address', () => {
  test.each([
    ['/api/videos/a/b.mp4/tags', '/api/videos/a%2Fb.mp4/tags'],
    ['/api/videos/a/tags/b.mp4/tags', '/api/videos/a%2Ftags%2Fb.mp4/tags'],
    ['/api/videos/a/b.mp4/tags/x2', '/api/videos/a%2Fb.mp4/tags/x2'],
    ['/api/videos/a%2Fb.mp4/tags?x=1/2', '/api/videos/a%2Fb.mp4/tags?x=1/2'],
    ['/api/videos/by-tags?tag_ids=1', '/api/videos/by-tags?tag_ids=1'],
    ['/api/video/stream?path=/api/videos/a/b/tags', '/api/video/stream?path=/api/videos/a/b/tags'],
  ])('%s becomes %s', (url, rewritten) => {
    expect(encodePathSegment(url)).toBe(rewritten);
  });

  test('of the contract becomes one of Fastify', () => {
    expect(toFastifyPath('/api/videos/{path}/tags/{tagId}')).toBe('/api/videos/:path/tags/:tagId');
  });

  test('is never made longer than its slashes ask for', () => {
    fc.assert(
      fc.property(fc.webPath(), (path) => {
        expect(encodePathSegment(path).length).toBeLessThanOrEqual(path.length * 3);
      }),
    );
  });
});

test('an ETag is named weakly or strongly, alone, in a list or by a star', () => {
  for (const header of ['"a"', 'W/"a"', '"b", "a"', '*']) expect(isNamed(header, '"a"')).toBe(true);
  for (const header of [undefined, '', '"b"', 'a', '"a']) expect(isNamed(header, '"a"')).toBe(false);
});
