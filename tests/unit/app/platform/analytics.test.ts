import { afterEach, beforeEach, expect, test, vi } from 'vitest';

let sent: URL[];
let analytics: typeof import('#app/platform/analytics.ts');

const target = { measurementId: 'G-1', endpoint: 'https://count.example/collect' };

beforeEach(async () => {
  sent = [];
  vi.stubGlobal('navigator', { sendBeacon: (address: string) => sent.push(new URL(address)) });
  vi.resetModules();
  analytics = await import('#app/platform/analytics.ts');
});

afterEach(() => vi.unstubAllGlobals());

test('a view change sends a page view and a navigation event, without the address of the viewer', () => {
  analytics.setAnalyticsTarget(target);
  analytics.reportView('upload');
  expect(sent.map((address) => address.searchParams.get('en'))).toEqual(['page_view', 'navigation']);
  expect(sent[0]?.searchParams.get('tid')).toBe('G-1');
  expect(sent[0]?.searchParams.get('aip')).toBe('1');
});

test('events wait until the configuration names where they go', () => {
  analytics.reportView('feed');
  expect(sent).toHaveLength(0);
  analytics.setAnalyticsTarget(target);
  expect(sent).toHaveLength(2);
});

test('nothing is sent where the operator names nobody', () => {
  analytics.reportView('feed');
  analytics.setAnalyticsTarget(null);
  analytics.reportView('upload');
  expect(sent).toHaveLength(0);
});

test('a failing service disturbs nobody', () => {
  vi.stubGlobal('navigator', {
    sendBeacon: () => {
      throw new TypeError('Blocked by an extension');
    },
  });
  analytics.setAnalyticsTarget(target);
  expect(() => analytics.reportView('feed')).not.toThrow();
});
