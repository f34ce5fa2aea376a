import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { clearAddressCodes, readAddressCode } from '#app/state/navigation.ts';
import type { FakeBrowser } from './fake-browser.ts';
import { fakeBrowser } from './fake-browser.ts';

let browser: FakeBrowser;

beforeEach(() => {
  browser = fakeBrowser();
  location.href = 'http://localhost/?keep=1&invitation=secret';
});

afterEach(() => vi.unstubAllGlobals());

test('an invitation leaves the address and lasts in its tab, through a reload, until it is cleared', () => {
  expect([readAddressCode('invitation'), location.href]).toEqual(['secret', 'http://localhost/?keep=1']);
  expect(readAddressCode('invitation')).toBe('secret');
  expect([browser.sessionStorage.length, browser.storage.length]).toEqual([1, 0]);
  clearAddressCodes('setup', 'share');
  expect(readAddressCode('invitation')).toBe('secret');
  clearAddressCodes('invitation');
  expect([readAddressCode('invitation'), browser.sessionStorage.length]).toEqual([null, 0]);
});

test('it is no set-up code', () => {
  readAddressCode('invitation');
  expect(readAddressCode('setup')).toBeNull();
});

test('with a storage that is full it lasts as long as the page', () => {
  browser.sessionStorage.setItem = () => {
    throw new DOMException('full', 'QuotaExceededError');
  };
  expect([readAddressCode('invitation'), location.href]).toEqual(['secret', 'http://localhost/?keep=1']);
});
