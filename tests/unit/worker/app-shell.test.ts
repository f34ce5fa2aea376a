import { expect, test, vi } from 'vitest';
import type { RoutingEvent } from '../../../sw/app-shell.ts';

// Workbox reads these when it is loaded.
vi.stubGlobal('self', globalThis);
vi.stubGlobal('registration', { scope: 'http://localhost/' });

const { isFirstVideosCall, isShellNavigation, routeDirectly } = await import('../../../sw/app-shell.ts');

test.each(['/', '/index.html', '/?view=upload', '/?share=0198-abc', '/anything/else', '/apiary', '/users'])(
  'opening %s opens the app',
  (path) => {
    expect(isShellNavigation(new URL(path, 'http://localhost'))).toBe(true);
  },
);

test.each([
  '/api/config',
  '/api/video/stream?path=a.mp4',
  '/auth/oauth/github/login',
  '/auth/oauth/github/callback?code=1',
  '/users/profile',
  '/whats-new.md',
  '/eula.md',
  '/healthz',
  '/readyz',
  '/metrics',
])('opening %s is left to the server', (path) => {
  expect(isShellNavigation(new URL(path, 'http://localhost'))).toBe(false);
});

test('the first videos are what the worker has asked for, but not under filters', () => {
  const isCall = (path: string) => isFirstVideosCall(new URL(path, 'http://localhost'));
  expect(isCall('/api/video/first')).toBe(true);
  expect(isCall('/api/video/first?top-left=t1&top-left-mode=OR')).toBe(false);
  expect(isCall('/api/video/top-left')).toBe(false);
});

test.each([
  ['/api/video/stream?path=a.mp4&piece=2097152', true],
  ['/api/video/top-left?exclude=a', true],
  ['/api/video/bottom-right', true],
  ['/api/optimization/performance/all', true],
  ['/api/video/first', false],
  ['/api/tags', false],
  ['/', false],
  ['/assets/first-1.js', false],
])('%s is sent straight to the server: %s', async (path, isDirect) => {
  const patterns: URLPattern[] = [];
  const addRoutes: RoutingEvent['addRoutes'] = async (rules) => {
    for (const { condition, source } of rules)
      if (source === 'network')
        patterns.push(new URLPattern({ ...condition.urlPattern, baseURL: 'http://localhost/sw.js' }));
  };
  routeDirectly({ addRoutes, waitUntil: () => {} } as unknown as RoutingEvent);
  expect(patterns.some((pattern) => pattern.test(path, 'http://localhost/'))).toBe(isDirect);
});

test('an engine without static routes installs the worker all the same', () => {
  expect(() => routeDirectly({ waitUntil: () => {} } as unknown as RoutingEvent)).not.toThrow();
});
