import { createHash, createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { DirectAddresses, signForBunny, signForNginx } from '#server/storage/stores/direct-addresses.ts';
import { readS3Address } from '#server/storage/stores/s3-address.ts';

const place = readS3Address('s3://KEY@s3.example.org/films/our%20site?region=eu-1', 'the secret');
const named = { rendition: 'grid', version: 'abc' };
const hourMs = 3_600_000;
const tenOClock = Date.UTC(2026, 4, 6, 10);
const ends = tenOClock / 1_000 + 3 * 3_600;
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

function addressesAt(ms: number, delivery: ConstructorParameters<typeof DirectAddresses>[0]['delivery'], offMs = 0) {
  return new DirectAddresses({ place, delivery, clock: { now: () => ms }, clockOffMs: () => offMs });
}

describe('an address in the store', () => {
  const at = (ms: number, offMs = 0) => addressesAt(ms, { kind: 'store' }, offMs).of('a/b+ü.mp4', named);

  test('is the same for everybody within an hour, and holds for two hours and more', async () => {
    const first = await at(tenOClock);
    expect(await at(tenOClock + hourMs - 1)).toBe(first);
    expect(await at(tenOClock + hourMs)).not.toBe(first);
    expect(new URL(first).searchParams.get('expires')).toBe(String(ends));
  });

  test('follows the clock of the store', async () => {
    expect(await at(tenOClock - hourMs, hourMs)).toBe(await at(tenOClock));
  });

  test('is signed by the rules of Signature Version 4, with the hour as its date', async () => {
    const url = new URL(await at(tenOClock + 1_234_567));
    const { searchParams: query } = url;
    const signature = query.get('X-Amz-Signature');
    query.delete('X-Amz-Signature');
    expect(Object.fromEntries(query)).toEqual({
      ...named,
      expires: String(ends),
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Credential': 'KEY/20260506/eu-1/s3/aws4_request',
      'X-Amz-Date': '20260506T100000Z',
      'X-Amz-Expires': '10800',
      'X-Amz-SignedHeaders': 'host',
    });
    const sorted = [...query].map((pair) => pair.map(encodeURIComponent).join('=')).sort();
    const path = '/films/our%20site/a/b%2B%C3%BC.mp4';
    const asked = ['GET', path, sorted.join('&'), 'host:s3.example.org\n', 'host', 'UNSIGNED-PAYLOAD'].join('\n');
    const hash = createHash('sha256').update(asked).digest('hex');
    const toSign = `AWS4-HMAC-SHA256\n20260506T100000Z\n20260506/eu-1/s3/aws4_request\n${hash}`;
    const steps = ['20260506', 'eu-1', 's3', 'aws4_request'];
    const key = steps.reduce(hmac, Buffer.from('AWS4the secret'));
    expect(url.origin + url.pathname).toBe(`https://s3.example.org${path}`);
    expect(signature).toBe(hmac(key, toSign).toString('hex'));
    expect(url.href).not.toContain('secret');
  });
});

describe('an address of a network that delivers', () => {
  test('has the token that Bunny publishes for this path, key and end', () => {
    const signed = signForBunny({ key: '300kb.jpg', query: {}, expires: 1_598_024_587, secret: 'SecurityKey' });
    expect(signed).toBe('/300kb.jpg?token=HS256-o10JRWlsAItyAsdKS6jJKjabHN4FrFsplDHPV1idcX4&expires=1598024587');
  });

  test('has its parameters signed for Bunny in their order', async () => {
    const network = { kind: 'network', origin: 'https://media.example', signing: 'bunny', key: 'k1' } as const;
    const url = new URL(await addressesAt(tenOClock, network).of('a.mp4', { version: '1-2', rendition: 'hd' }));
    const signed = hmac('k1', `/our%20site/a.mp4${ends}rendition=hd&version=1-2`).toString('base64url');
    expect(url.origin + url.pathname).toBe('https://media.example/our%20site/a.mp4');
    expect([...url.searchParams].sort()).toEqual([
      ['expires', String(ends)],
      ['rendition', 'hd'],
      ['token', `HS256-${signed}`],
      ['version', '1-2'],
    ]);
  });

  test('has the sum that nginx documents for its module', async () => {
    const signed = signForNginx({ key: 's/link', query: {}, expires: 2_147_483_647, secret: 'secret' });
    const md5 = createHash('md5').update('2147483647/s/link secret').digest('base64');
    const shown = md5.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    expect(signed).toBe(`/s/link?md5=${shown}&expires=2147483647`);
    const network = { kind: 'network', origin: 'https://media.example', signing: 'nginx', key: 'k' } as const;
    const url = new URL(await addressesAt(tenOClock, network).of('a.mp4', named));
    // nginx decodes the path before it sums.
    const decoded = createHash('md5').update(`${ends}/our site/a.mp4 k`).digest('base64url');
    expect(url.search).toBe(`?rendition=grid&version=abc&md5=${decoded}&expires=${ends}`);
  });
});
