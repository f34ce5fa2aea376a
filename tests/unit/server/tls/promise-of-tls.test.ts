import { fastify } from 'fastify';
import { expect, test } from 'vitest';
import { addSecurityHeaders } from '#server/http/protection/security-headers.ts';

test.each([
  ['four.example', true, 'max-age=31536000'],
  ['four.example:4400', true, undefined],
  ['four.example', false, undefined],
])('at %s, with a public certificate: %s, the promise to stay on TLS is %s', async (host, isPublic, promise) => {
  const app = fastify();
  await addSecurityHeaders(app, {
    analyticsEndpoint: undefined,
    mediaOrigin: null,
    appFolder: '/none',
    isPubliclyTrusted: () => isPublic,
  });
  app.get('/', async () => 'here');
  const { headers } = await app.inject({ url: '/', headers: { host } });
  expect(headers['strict-transport-security']).toBe(promise);
});
