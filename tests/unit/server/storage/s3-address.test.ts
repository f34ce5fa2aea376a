import { describe, expect, test } from 'vitest';
import { describeS3, encodeKey, isUsableKey, readS3Address } from '#server/storage/stores/s3-address.ts';

const secret = 'a secret';

test.each([
  ['s3://KEY@s3.example.org/films', 'https://s3.example.org', 'films', '', 'us-east-1', 'KEY'],
  [
    's3://KEY@s3.example.org:9000/films/a/b/?region=eu-1',
    'https://s3.example.org:9000',
    'films',
    'a/b/',
    'eu-1',
    'KEY',
  ],
  ['s3://site%3Akey@127.0.0.1:8080/films?tls=off', 'http://127.0.0.1:8080', 'films', '', 'us-east-1', 'site:key'],
  ['s3://k@[fd00::1]:80/my.films?tls=off&region=auto', 'http://[fd00::1]:80', 'my.films', '', 'auto', 'k'],
  ['s3://k@garage:3900/films/ours?tls=off', 'http://garage:3900', 'films', 'ours/', 'us-east-1', 'k'],
])('%s names a place', (text, origin, bucket, prefix, region, keyId) => {
  const address = readS3Address(text, secret);
  expect(address).toEqual({ origin, bucket, prefix, region, keyId, secret });
  expect(describeS3(address)).toBe(`${origin}/${bucket}/${prefix}`);
});

test.each([
  ['https://KEY@host.example/films', 'has to look like'],
  ['s3://', 'has to look like'],
  ['s3://%zz@host.example/films', 'has to look like'],
  ['s3://KEY@host.example/films/100%', 'has to look like'],
  ['s3://host.example/films', 'has to name a key'],
  ['s3://KEY:hidden@host.example/films', 'may not hold the secret'],
  ['s3://KEY@host.example', 'has to name a bucket'],
  ['s3://KEY@host.example/A_B', 'has to name a bucket'],
  ['s3://KEY@host.example/films?zone=1', 'knows no zone'],
  ['s3://KEY@host.example/films?tls=off', 'only for a store on this machine'],
  ['s3://KEY@8.8.8.8/films?tls=off', 'only for a store on this machine'],
])('%s is refused in words that do not repeat a secret', (text, words) => {
  expect(() => readS3Address(text, secret)).toThrow(words);
  expect(() => readS3Address(text, secret)).not.toThrow(/hidden|a secret/);
});

describe('a key', () => {
  test.each([
    ['ab/one.mp4', 'ab/one.mp4'],
    ['a b+c', 'a%20b%2Bc'],
    ["!'()*", '%21%27%28%29%2A'],
    ['ä😀', '%C3%A4%F0%9F%98%80'],
    ['-._~', '-._~'],
    ['a%2Fb?c#d&e=f', 'a%252Fb%3Fc%23d%26e%3Df'],
  ])('%s is sent as %s', (key, encoded) => {
    expect(encodeKey(key)).toBe(encoded);
  });

  test.each([
    ['ab/one.mp4', true],
    ['ä'.repeat(512), true],
    ['ä'.repeat(513), false],
    ['', false],
    ['/ab', false],
    ['ab/', false],
    ['a//b', false],
    ['../ab', false],
    ['ab/./c', false],
    ['ab/..c', true],
  ])('%s can be a name: %s', (key, isUsable) => {
    expect(isUsableKey(key)).toBe(isUsable);
  });
});
