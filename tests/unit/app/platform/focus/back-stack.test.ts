import { beforeEach, expect, test } from 'vitest';
import { BackStack } from '#app/platform/input/back-stack.ts';
import { FakePage } from './fake-page.ts';

let page: FakePage;
let stack: BackStack;
let closed: string[];

const open = (name: string) => stack.open(() => closed.push(name));

beforeEach(() => {
  page = new FakePage();
  stack = new BackStack(page);
  closed = [];
});

test('an open layer is one entry, and Back closes it', async () => {
  open('menu');
  await page.settled();
  expect(page.at).toBe(1);
  await page.press('back');
  expect(closed).toEqual(['menu']);
  expect(page.at).toBe(0);
});

test('Back closes exactly one layer at a time, the last first', async () => {
  open('view');
  open('popup');
  open('modal');
  await page.settled();
  await page.press('back');
  expect(closed).toEqual(['modal']);
  await page.press('back');
  expect(closed).toEqual(['modal', 'popup']);
});

test('a layer that closes by itself takes its entry along and is not told of Back', async () => {
  const popup = open('popup');
  await page.settled();
  popup.close();
  await page.settled();
  expect([page.at, closed]).toEqual([0, []]);
});

test('a layer closed under others takes them along', async () => {
  const view = open('view');
  open('popup');
  open('modal');
  await page.settled();
  view.close();
  await page.settled();
  expect([page.at, closed]).toEqual([0, ['modal', 'popup']]);
});

test('a layer withdrawn from under others leaves them open, and each still takes one Back', async () => {
  open('view');
  const level = open('level');
  open('modal');
  await page.settled();
  level.withdraw();
  level.withdraw();
  await page.settled();
  expect([page.at, closed]).toEqual([2, []]);
  await page.press('back');
  expect(closed).toEqual(['modal']);
  await page.press('back');
  expect([page.at, closed]).toEqual([0, ['modal', 'view']]);
});

test('one layer in place of another moves nothing', async () => {
  const first = open('first');
  await page.settled();
  first.close();
  open('second');
  await page.settled();
  expect(page.at).toBe(1);
  await page.press('back');
  expect(closed).toEqual(['second']);
});

test('a layer opened while another one is on its way out gets its entry', async () => {
  const first = open('first');
  await page.settled();
  first.close();
  await Promise.resolve();
  open('second');
  await page.settled();
  expect(page.at).toBe(1);
  await page.press('back');
  expect([page.at, closed]).toEqual([0, ['second']]);
});

test('20 cycles leave no ghost entries', async () => {
  for (let cycle = 0; cycle < 20; cycle += 1) {
    const view = open('view');
    open('popup');
    await page.settled();
    if (cycle % 2 === 0) await page.press('back');
    view.close();
    await page.settled();
    expect(page.at).toBe(0);
  }
  expect(page.entries.length).toBeLessThanOrEqual(3);
});

test('closing twice closes once', async () => {
  const popup = open('popup');
  await page.settled();
  popup.close();
  popup.close();
  await page.settled();
  expect(page.at).toBe(0);
});

test('Forward to an entry whose layer is gone goes back to where one was', async () => {
  open('popup');
  await page.settled();
  await page.press('back');
  await page.press('forward');
  expect([page.at, closed]).toEqual([0, ['popup']]);
});

test('entries that a reload left behind are cleared', async () => {
  page.history.pushState({ layers: 1 });
  page.history.pushState({ layers: 2 });
  new BackStack(page);
  await page.settled();
  expect(page.at).toBe(0);
});

test('Back below the first layer is left to the browser', async () => {
  await page.press('back');
  await page.settled();
  expect([page.at, page.entries.length]).toEqual([0, 1]);
});

test('a key that means Back closes one layer, and does nothing where none is open', async () => {
  open('view');
  open('menu');
  await page.settled();
  expect(stack.goBack()).toBe(true);
  await page.settled();
  expect([page.at, closed]).toEqual([1, ['menu']]);
  stack.goBack();
  await page.settled();
  expect(stack.goBack()).toBe(false);
  await page.settled();
  expect([page.at, closed]).toEqual([0, ['menu', 'view']]);
});

test('a key that means Back closes its layer at once, however slow the history is', async () => {
  open('view');
  open('menu');
  await page.settled();
  page.holdTravel();
  stack.goBack();
  expect(closed).toEqual(['menu']);
  stack.goBack();
  expect([stack.goBack(), closed]).toEqual([false, ['menu', 'view']]);
  await page.settled();
  await page.arrive();
  expect([page.at, closed]).toEqual([0, ['menu', 'view']]);
});

test.each([
  ['one after the other', false],
  ['as one jump', true],
])(
  'Back of the browser while the history still moves is neither lost nor doubled, when both come %s',
  async (_, isOneJump) => {
    for (const name of ['view', 'menu']) open(name);
    const dialog = open('dialog');
    await page.settled();
    page.holdTravel();
    dialog.close();
    await page.startBack();
    await page.arrive(isOneJump);
    expect([page.at, closed]).toEqual([1, ['menu']]);
    await page.press('back');
    expect([page.at, closed]).toEqual([0, ['menu', 'view']]);
  },
);

test.each([
  ['one after the other', false],
  ['as one jump', true],
])(
  'Back of the browser just before the last layer closes by itself closes the one below, when both come %s',
  async (_, isOneJump) => {
    for (const name of ['view', 'menu']) open(name);
    const dialog = open('dialog');
    await page.settled();
    page.holdTravel();
    await page.startBack();
    dialog.close();
    await page.settled();
    await page.arrive(isOneJump);
    expect([page.at, closed]).toEqual([1, ['menu']]);
  },
);

test.each([
  ['one after the other', false],
  ['as one jump', true],
])(
  'Back of the browser just before two layers close by themselves closes the one below, when both come %s',
  async (_, isOneJump) => {
    for (const name of ['view', 'menu']) open(name);
    const [popup, dialog] = [open('popup'), open('dialog')];
    await page.settled();
    page.holdTravel();
    await page.startBack();
    dialog.close();
    popup.close();
    await page.settled();
    await page.arrive(isOneJump);
    expect([page.at, closed]).toEqual([1, ['menu']]);
  },
);

test('a layer opened while the history still moves is what Back closes next', async () => {
  const first = open('first');
  await page.settled();
  page.holdTravel();
  first.close();
  await page.settled();
  open('second');
  await page.settled();
  await page.arrive();
  expect([page.at, closed]).toEqual([1, []]);
  await page.press('back');
  expect([page.at, closed]).toEqual([0, ['second']]);
});

test('layers open and close where the browser takes no further entry for a while', async () => {
  const { pushState } = page.history;
  const view = open('view');
  await page.settled();
  page.history.pushState = () => {
    throw new DOMException('Attempt to use history.pushState() more than 100 times per 30 seconds', 'SecurityError');
  };
  open('menu');
  await page.settled();
  expect(page.at).toBe(1);
  await page.press('back');
  expect(closed).toEqual(['menu']);
  open('dialog');
  await page.settled();
  stack.goBack();
  expect(closed).toEqual(['menu', 'dialog']);
  page.history.pushState = pushState;
  open('popup');
  await page.settled();
  expect(page.at).toBe(2);
  view.close();
  await page.settled();
  expect([page.at, closed]).toEqual([0, ['menu', 'dialog', 'popup']]);
});
