import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { gateForm, loadNews, news, resetNews } from '#app/features/auth/password-screen.tsx';
import type { FakeNetwork, FakeReply } from '../platform/fake-network.ts';
import { fakeNetwork } from '../platform/fake-network.ts';
import type { FakeBrowser } from '../state/fake-browser.ts';
import { fakeBrowser } from '../state/fake-browser.ts';

let browser: FakeBrowser;
let network: FakeNetwork;

beforeEach(() => {
  browser = fakeBrowser();
  network = fakeNetwork();
});

afterEach(() => {
  gateForm.reset();
  resetNews();
  vi.unstubAllGlobals();
});

async function tryPassword(answer: FakeReply | 'away'): Promise<void> {
  network.answer(answer);
  gateForm.change('password', 'open sesame');
  await gateForm.submit();
}

test('the right password loads the window anew', async () => {
  await tryPassword({ json: { success: true } });
  expect(browser.reload).toHaveBeenCalledTimes(1);
  expect(gateForm.state.isBusy).toBe(true);
});

test('a browser that does not keep the cookie is told so, in place of the same page without a word', async () => {
  network.answer({ json: { success: true } }, { status: 401, json: { error: 'site_password_required', message: 'x' } });
  gateForm.change('password', 'open sesame');
  await gateForm.submit();
  expect([gateForm.state.problems.password, gateForm.state.isBusy]).toEqual([
    'This browser keeps no cookies. Allow them for this site, and try again.',
    false,
  ]);
  expect(browser.reload).not.toHaveBeenCalled();
});

test.each<[string, FakeReply | 'away', string]>([
  [
    'a wrong password',
    { status: 401, json: { success: false, error: 'Invalid password', message: 'Invalid password' } },
    'Invalid password',
  ],
  [
    'too many tries',
    { status: 429, json: { error: 'rate_limited', message: 'Too many tries. Please wait a little.' } },
    'Too many tries. Please wait a little.',
  ],
  ['a refusal without words', { status: 401, json: {} }, 'Invalid password'],
  ["a proxy's page", { status: 502, text: '<h1>Bad gateway</h1>' }, 'Connection error. Please try again.'],
  ['no network', 'away', 'Connection error. Please try again.'],
])('%s is told, until the field is edited', async (_, answer, words) => {
  await tryPassword(answer);
  expect([gateForm.state.problems.password, gateForm.state.isBusy, gateForm.state.values.password]).toEqual([
    words,
    false,
    'open sesame',
  ]);
  expect(browser.reload).not.toHaveBeenCalled();
  gateForm.change('password', 'open');
  expect(gateForm.state.problems.password ?? null).toBeNull();
});

test('nothing is sent while the field is empty or an answer is waited for', async () => {
  await gateForm.submit();
  expect(network.fetch).not.toHaveBeenCalled();
  network.answer({ json: { success: true } });
  gateForm.change('password', 'open sesame');
  await Promise.all([gateForm.submit(), gateForm.submit()]);
  expect(network.fetch.mock.calls.filter(([address]) => address.includes('password-auth'))).toHaveLength(1);
});

test.each<[string, FakeReply | 'away', string]>([
  ['news', { text: "# What's New\n\n## November\n\n- One" }, '\n## November\n\n- One'],
  ['news with another title', { text: '# Hello\n' }, '# Hello\n'],
  ['nothing', { text: ' \n' }, '\nCheck back soon for updates!'],
  ['a failure', { status: 500, text: 'x' }, '\nCheck back soon for updates!'],
  ["a portal's page", { text: '<!doctype html><title>Hotel</title>' }, '\nCheck back soon for updates!'],
  ['no network', 'away', '\nCheck back soon for updates!'],
])('the panel shows, without the title that it has itself: %s', async (_, answer, text) => {
  network.answer(answer);
  await loadNews();
  expect(news.text).toBe(text);
});
