import { expect, test, vi } from 'vitest';
import { acceptOnlyOwnFiles, isOfItsType, renewPolicy } from '../../../sw/kept-files.ts';

const answer = (type: string, status = 200) => new Response('', { status, headers: { 'content-type': type } });

test.each([
  ['assets/index-1a2b.js', 'text/javascript; charset=utf-8'],
  ['assets/index-1a2b.js', 'application/javascript; charset=UTF-8'],
  ['assets/index-1a2b.css', 'text/css; charset=utf-8'],
  ['index.html?__WB_REVISION__=1a2b', 'text/html; charset=utf-8'],
  ['favicon.svg', 'image/svg+xml'],
  ['icons/icon-192.png', 'image/png'],
  ['assets/inter-1a2b.woff2', 'font/woff2'],
  ['manifest.webmanifest', 'application/manifest+json'],
])('%s may be %s', (file, type) => {
  expect(isOfItsType(`http://localhost/${file}`, answer(type))).toBe(true);
});

test.each([
  ["a portal's page", 'assets/index-1a2b.js', answer('text/html')],
  ['JSON', 'index.html', answer('application/json')],
  ['an answer without a type', 'assets/index-1a2b.css', new Response(null)],
  ['a failure', 'assets/index-1a2b.js', answer('text/javascript', 404)],
  ['a kind of file that is none of the app', 'clip.mp4', answer('video/mp4')],
])('%s is not kept', async (_, file, response) => {
  const request = new Request(`http://localhost/${file}`);
  expect(await acceptOnlyOwnFiles.cacheWillUpdate({ request, response })).toBeNull();
});

const own = "default-src 'self';connect-src 'self';media-src 'self' blob:;script-src 'self' 'sha256-own'";
const told =
  "default-src 'self';connect-src 'self' https://m.example;media-src 'self' blob: https://m.example;script-src 'self'";

test('a stored page may reach the hosts that the site names by now, and runs the scripts of its own version', async () => {
  const stored = new Map([
    ['page', new Response('the page', { headers: { 'content-security-policy': own, etag: 'x' } })],
  ]);
  const put = vi.fn(async (key: string, page: Response) => void stored.set(key, page));
  const cache = { match: async (key: string) => stored.get(key)?.clone(), put };
  vi.stubGlobal('caches', { keys: async () => ['files'], open: async () => cache });
  const renew = (policy: string) =>
    renewPolicy(
      'page',
      stored.get('page')?.headers ?? new Headers(),
      Promise.resolve(new Response('', { headers: { 'content-security-policy': policy } })),
    );
  await renew(own);
  expect(put).not.toHaveBeenCalled();
  await renew(told);
  const page = stored.get('page');
  expect(Object.fromEntries(page?.headers ?? [])).toMatchObject({
    etag: 'x',
    'content-security-policy':
      "default-src 'self';connect-src 'self' https://m.example;media-src 'self' blob: https://m.example;script-src 'self' 'sha256-own'",
  });
  expect(await page?.clone().text()).toBe('the page');
  await renew(own);
  expect(stored.get('page')?.headers.get('content-security-policy')).toBe(own);
  vi.unstubAllGlobals();
});
