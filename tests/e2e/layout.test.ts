import { expect } from '@playwright/test';
import type { PickReply } from '#contract/entities/feed.ts';
import type { TagList } from '#contract/entities/tag.ts';
import { quadrants } from '#contract/quadrants.ts';
import { send, signInAt } from './accounts.ts';
import type { Feed } from './feed.ts';
import { asking } from './feed.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';
import { SignIn } from './sign-in.ts';
import { makeTags } from './tagged-library.ts';

interface Screen {
  readonly name: string;
  readonly width: number;
  readonly height: number;
}

/** The screens of each form. */
const screens: Readonly<Record<string, readonly Screen[]>> = {
  '/': [{ name: 'a desk', width: 1440, height: 900 }],
  '/?form=tv': [
    { name: 'a TV', width: 1920, height: 1080 },
    { name: 'a TV that reports half its pixels', width: 960, height: 540 },
  ],
  '/?form=phone': [
    { name: 'a phone held upright', width: 390, height: 844 },
    { name: 'a phone held sideways', width: 844, height: 390 },
  ],
};

/** Between two pictures, in CSS pixels (design: 2, on a TV of 1920 pixels 3). */
const gapAtMost = 3;

for (const [address, sizes] of Object.entries(screens)) {
  const names = sizes.map(({ name, width, height }) => `${name} (${width}×${height})`).join(' and ');
  test(`on ${names} four equal pictures fill the window, and words keep inside the safe area`, async ({
    page,
    feed,
  }) => {
    const [first] = sizes;
    if (first) await page.setViewportSize(first);
    await feed.open(address);
    await feed.waitForStills();
    for (const size of sizes) {
      await page.setViewportSize(size);
      await expectWholePictures(feed, size);
      await poll(() => feed.marksOutsideSafeArea(), { message: size.name }).toEqual([]);
    }

    await feed.start.click();
    for (const size of sizes) {
      await page.setViewportSize(size);
      await feed.quadrant('bottom-right').hover();
      await poll(() => feed.marksOutsideSafeArea(), { message: size.name }).toEqual([]);
    }
    // A see-through video takes several times as long to draw without a graphics card.
    expect(await page.evaluate(listOpacities)).toEqual(Array.from({ length: 2 * quadrants.length }, () => '1'));
  });
}

/** Runs in the page: of each layer of each quadrant. */
function listOpacities(): string[] {
  return [...document.querySelectorAll('section[data-quadrant] video')].map((video) => getComputedStyle(video).opacity);
}

/** Once the page has taken its size. */
async function expectWholePictures(feed: Feed, { width, height }: Screen): Promise<void> {
  await expect(async () => {
    const boxes = await Promise.all(quadrants.map((quadrant) => feed.quadrant(quadrant).boundingBox()));
    for (const box of boxes) {
      expect(box?.width).toBeGreaterThanOrEqual((width - gapAtMost) / 2 - 0.5);
      expect(box?.height).toBeGreaterThanOrEqual((height - gapAtMost) / 2 - 0.5);
    }
    expect(Math.max(...boxes.map((box) => (box?.x ?? 0) + (box?.width ?? 0)))).toBeCloseTo(width, 0);
    expect(Math.max(...boxes.map((box) => (box?.y ?? 0) + (box?.height ?? 0)))).toBeCloseTo(height, 0);
    expect(
      await feed.page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]),
    ).toEqual([width, height]);
  }).toPass();
}

test('in a window of any width the controls of a pinned quadrant keep inside it, and are targets of 44 pixels at least', async ({
  feed,
  page,
}) => {
  await feed.open();
  await feed.waitForStills();
  await feed.start.click();
  await feed.quadrant('top-left').focus();
  await page.keyboard.press('z');
  for (const [width, height] of [
    [1440, 600],
    [1280, 600],
    [1024, 600],
    [960, 600],
    [768, 600],
    [620, 450],
    [568, 320],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.mouse.move(width / 4, 100 + width / 100);
    await expect(feed.control('top-left', 'Unpin')).toBeVisible();
    const quadrant = await feed.quadrant('top-left').boundingBox();
    const right = (quadrant?.x ?? 0) + (quadrant?.width ?? 0);
    const controls = await feed
      .quadrant('top-left')
      .locator('button, input')
      .filter({ visible: true })
      .evaluateAll(measure);
    expect(controls.length).toBeGreaterThanOrEqual(6);
    for (const control of controls) {
      expect(control.right, `${control.name} at ${width}`).toBeLessThan(right);
      expect(Math.min(control.width, control.height), `${control.name} at ${width}`).toBeGreaterThanOrEqual(44);
    }
  }
});

const longName = 'Documentaries of the sea and everything below its surface';

test('beside a long name the other channels of a filter are readable, and none lies under a button', async ({
  feed,
  page,
  desk,
}) => {
  await makeTags(desk, longName, 'Boats', 'Concerts', 'Trains', 'Lakes');
  const { tags } = await send<TagList>(desk, 'GET', '/api/tags?sort_by=created_at&sort_order=asc', null);
  await page.addInitScript((labels) => {
    const filter = { selectedTags: labels.map(({ id }) => id), filterMode: 'OR', labels, timestamp: Date.now() };
    localStorage.setItem('fourfold.filters', JSON.stringify({ 'top-left': filter }));
  }, tags);
  // No video is in these channels.
  await page.route('**/api/video/top-left*', async (route) => {
    const url = new URL(route.request().url());
    url.searchParams.delete('tag_ids');
    await route.fulfill({ response: await route.fetch({ url: url.href }) });
  });
  for (const [form, width, height] of [
    ['desktop', 1440, 900],
    ['desktop', 960, 700],
    ['tablet', 768, 1024],
    ['phone', 844, 390],
    ['phone', 667, 375],
  ] as const) {
    await page.setViewportSize({ width, height });
    await feed.open(`${desk.address}/?form=${form}`);
    await feed.waitForStills();
    await feed.start.click();
    await page.mouse.move(width / 4, height / 8);
    await page.mouse.move(width / 4 + 9, height / 8);
    await expect(feed.control('top-left', 'Filter (5 active)')).toBeVisible();
    const chips = feed.quadrant('top-left').locator('[aria-label^="Filter"]').locator('xpath=following-sibling::*[1]');
    await poll(() => chips.evaluate(listHiddenChips), { message: `${form} of ${width}×${height}` }).toEqual([]);
  }
});

/** Runs in the page: chips of which too few letters are seen, and buttons that cover one. */
function listHiddenChips(chips: Element): string[] {
  const leastPx = 24;
  const faults: string[] = [];
  const { top, bottom } = chips.getBoundingClientRect();
  const seen = [...chips.children].filter((chip) => {
    const box = chip.getBoundingClientRect();
    return box.top < bottom - 1 && box.bottom > top + 1;
  });
  if (seen.length === 0) faults.push('no chip is seen');
  for (const chip of seen) {
    const name = chip.querySelector('bdi');
    if (name && name.clientWidth < Math.min(leastPx, name.scrollWidth))
      faults.push(`${name.clientWidth} pixels of ${name.textContent}`);
    const box = chip.getBoundingClientRect();
    for (const button of chips.closest('[data-quadrant]')?.querySelectorAll('button') ?? []) {
      const other = button.getBoundingClientRect();
      const isOver =
        other.left < box.right && other.right > box.left && other.top < box.bottom && other.bottom > box.top;
      if (isOver && button.checkVisibility({ visibilityProperty: true }))
        faults.push(`${button.getAttribute('aria-label')} covers ${chip.textContent}`);
    }
  }
  return faults;
}

test('neither the fold of a pinned video nor a button lies over another button, also where it fills the window', async ({
  feed,
  page,
}) => {
  for (const [quadrant, form, width, height] of [
    ['bottom-left', 'phone', 844, 390],
    ['bottom-right', 'phone', 390, 844],
    ['bottom-right', 'desktop', 1440, 900],
  ] as const) {
    await page.setViewportSize({ width, height });
    await feed.open(`/?form=${form}`);
    await feed.waitForStills();
    await feed.start.click();
    await page.mouse.move(width * 0.6, height * 0.6);
    await feed.quadrant(quadrant).hover();
    await feed.clickControl(quadrant, 'Pin');
    await expect(feed.control(quadrant, 'Unpin')).toBeVisible();
    expect(await feed.quadrant(quadrant).evaluate(listCovered), `${quadrant} in the grid`).toEqual([]);
    await feed.clickControl(quadrant, 'Expand');
    await expect(feed.control(quadrant, 'Back to the grid')).toBeVisible();
    expect(await feed.quadrant(quadrant).evaluate(listCovered), `${quadrant} alone`).toEqual([]);
  }
});

/** Runs in the page: buttons that the folded corner or another button covers. */
function listCovered(section: Element): string[] {
  const fold = section.querySelector('svg[viewBox="0 0 32 32"]');
  if (!fold) return ['no fold'];
  const buttons = [...section.querySelectorAll('button')].filter((button) =>
    button.checkVisibility({ visibilityProperty: true }),
  );
  return buttons
    .filter((button, at) =>
      [fold, ...buttons.slice(0, at)].some((cover) => {
        const [box, other] = [button.getBoundingClientRect(), cover.getBoundingClientRect()];
        const isBeside = other.left > box.right - 1 || other.right < box.left + 1;
        return !isBeside && other.top < box.bottom - 1 && other.bottom > box.top + 1;
      }),
    )
    .map((button) => button.getAttribute('aria-label') ?? '');
}

test('in a small window the statistics keep their buttons inside, hide no message of a quadrant, and lie under no notice', async ({
  feed,
  page,
}) => {
  // Its first video never comes.
  await page.route('**/api/video/top-right*', () => {});
  await page.setViewportSize({ width: 768, height: 1024 });
  await feed.open(asking());
  await feed.start.click();
  await page.keyboard.press('i');
  const statistics = page.getByRole('complementary', { name: 'Statistics' });
  await expect(statistics).toBeVisible();
  const message = feed.quadrant('top-right').getByText('Loading video...').locator('..');
  await expect(message).toBeVisible();
  expect(await message.evaluate(isOnTop)).toBe(true);

  await page.setViewportSize({ width: 844, height: 390 });
  const small = statistics.getByRole('button', { name: 'Small window' });
  await expect(small).toBeVisible();
  await poll(() => small.evaluate(isInsidePanel), { message: 'the button is inside' }).toBe(true);

  await page.setViewportSize({ width: 390, height: 844 });
  await page.context().setOffline(true);
  const notice = page
    .getByRole('status')
    .filter({ hasText: /^You are offline/ })
    .locator('> div');
  await expect(notice).toBeVisible();
  await poll(
    async () => {
      const [above, below] = await Promise.all([notice.boundingBox(), statistics.boundingBox()]);
      return (below?.y ?? 0) - (above?.y ?? 0) - (above?.height ?? 0);
    },
    { message: 'the notice that there is no network stands above them' },
  ).toBeGreaterThanOrEqual(0);
});

/** Runs in the page: whether a message is drawn above what else is at its middle. */
function isOnTop(message: HTMLElement): boolean {
  // What lets presses through is found by no point.
  for (const layer of [message, document.querySelector('aside')]) layer?.style.setProperty('pointer-events', 'auto');
  const { left, top, width, height } = message.getBoundingClientRect();
  return message.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}

/** Runs in the page. */
function isInsidePanel(button: Element): boolean {
  const [box, panel] = [button.getBoundingClientRect(), button.closest('aside')?.getBoundingClientRect()];
  const leastGapPx = 8;
  return panel !== undefined && box.left >= panel.left + leastGapPx && box.right <= panel.right - leastGapPx;
}

test.describe('360 pixels wide, in type of twice the size', () => {
  test.use({ viewport: { width: 360, height: 740 } });

  test('the bar, the rows of Profile and the plans are whole', async ({ page, club }) => {
    await new SignIn(page).enterAs(club, 'first');
    await page.goto(`${club.address}/?view=profile`);
    await expect(page.getByText('This device', { exact: true })).toBeVisible();
    await page.evaluate(enlarge);
    expect(await page.evaluate(cutWords)).toEqual([]);
    await page.getByRole('button', { name: 'View Plans & Upgrade' }).click();
    await expect(page.getByRole('heading', { name: 'Lifetime' })).toBeAttached();
    expect(await page.evaluate(cutWords)).toEqual([]);
  });

  test('words of the titles, tables and cards stay whole, and long names keep inside their rows', async ({
    page,
    desk,
  }) => {
    const longTag = 'Rechtsschutzversicherungsgesellschaften';
    await makeTags(desk, 'Boats', 'Cities', longTag);
    await new SignIn(page).enterAs(desk, 'first');
    for (const [view, loaded] of [
      ['tag-management', 'Cities'],
      ['video-tagging', 'untagged'],
      ['performance', 'System Health'],
      ['admin', 'first@example.com'],
      ['profile', 'Cities'],
    ] as const) {
      await page.goto(`${desk.address}/?view=${view}&form=phone`);
      await page.evaluate(enlarge);
      await expect(page.getByRole('main').getByText(loaded, { exact: true }).first()).toBeVisible();
      await expect(page.locator('main [aria-busy="true"]')).toHaveCount(0);
      if (view === 'profile') expect(await page.evaluate(cutWords)).toEqual([]);
      else await poll(() => page.evaluate(brokenWords), { message: view }).toEqual([]);
    }

    await page.goto(`${desk.address}/?view=tag-management&form=phone`);
    await page.evaluate(enlarge);
    await page.getByRole('button', { name: `More for ${longTag}` }).click();
    await expect(page.getByRole('dialog').getByRole('heading', { name: longTag })).toBeVisible();
    expect(await page.evaluate(cutWords)).not.toContain(longTag);
  });
});

/** What stands above a control and comes with a late answer. */
const lateParts = [
  { view: 'profile', call: '**/users/profile', late: /^Nothing is kept yet/, control: 'Show statistics', width: 1440 },
  { view: 'performance', call: '**/api/optimization/performance/**', late: /^Live/, control: 'Quadrant', width: 390 },
  {
    view: 'video-tagging',
    call: '**/api/videos/tagging*',
    late: /needs? tags$/,
    control: 'Show untagged only',
    width: 390,
  },
];

test('what a late answer brings moves no control that stands below it', async ({ page, club }) => {
  for (const { view, call, late, control, width } of lateParts) {
    await page.setViewportSize({ width, height: 900 });
    // The first of them is read as a guest.
    if (view === 'performance') await new SignIn(page).enterAs(club, 'first');
    let answer = () => {};
    const due = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(call, async (route) => {
      await due;
      await route.continue();
    });
    const asked = page.waitForRequest(call);
    await page.goto(`${club.address}/?view=${view}`);
    await asked;
    const place = page.getByLabel(control, { exact: true });
    await expect(place).toBeVisible();
    const { y: before = 0 } = (await place.boundingBox()) ?? {};
    answer();
    await expect(page.getByText(late)).toBeVisible();
    const { y: after = 0 } = (await place.boundingBox()) ?? {};
    expect(Math.abs(after - before), `${control} in ${view}`).toBeLessThan(8);
  }
});

test('a name that is written from right to left and has no room loses its end, not its beginning', async ({
  page,
  feed,
}) => {
  const title = 'فيديو طويل جدا باللغة العربية '.repeat(12).trim();
  await page.route('**/api/video/top-left*', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), title } });
  });
  await feed.open(asking());
  await feed.waitForStills();
  await feed.start.click();
  await feed.quadrant('top-left').hover();
  const name = feed.quadrant('top-left').getByText(title).filter({ visible: true });
  await expect(name).toBeVisible();
  expect(await name.evaluate(showsBeginning)).toBe(true);

  const id = (await feed.quadrant('top-left').getAttribute('data-video-id')) ?? '';
  await page.route(`**/api/videos/${id}`, async (route) => {
    const response = await route.fetch();
    const { video } = await response.json();
    await route.fulfill({ response, json: { video: { ...video, title } } });
  });
  await page.goto(`/?video=${id}`);
  const heading = page.getByRole('heading', { name: title });
  await expect(heading).toBeVisible();
  expect(await heading.evaluate(showsBeginning)).toBe(true);
});

test('where channels could not be loaded, the sentence that says so stands apart from the choice of favourites', async ({
  page,
  club,
}) => {
  await new SignIn(page).enterAs(club, 'first');
  const fault = { status: 500, json: { error: 'internal_error', message: 'No' } };
  await page.route('**/api/tags?*', (route) => route.fulfill(fault));
  await page.goto(`${club.address}/?view=channels`);
  const banner = page.getByRole('alert').filter({ hasText: 'Failed to load channels: No' });
  await expect(banner).toBeVisible();
  const favourites = await page.getByRole('button', { name: 'Favourites' }).boundingBox();
  const { y = 0 } = (await banner.boundingBox()) ?? {};
  expect(y - (favourites?.y ?? 0) - (favourites?.height ?? 0)).toBeGreaterThanOrEqual(8);
});

test('what was done with channels of long names is read whole, and undone by its button', async ({ page, desk }) => {
  const names = ['A', 'B', 'C'].map((letter) => `${letter} ${longName}`);
  await makeTags(desk, ...names);
  await new SignIn(page).enterAs(desk, 'first');
  await page.goto(`${desk.address}/?view=video-tagging`);
  await page.getByRole('button', { name: /hue /i }).first().press('Enter');
  for (const name of names) await page.getByRole('checkbox', { name }).press('Space');
  await page.getByRole('button', { name: 'Assign 3 Tags' }).press('Enter');
  const undo = page.getByRole('button', { name: 'Undo' });
  const outside = await undo.evaluate((button) => {
    const { left, right } = button.parentElement?.getBoundingClientRect() ?? new DOMRect();
    return Math.max(-left, right - innerWidth);
  });
  expect(outside).toBeLessThanOrEqual(0);
  await undo.click();
  await expect(page.getByText('No tags assigned')).toBeVisible();
});

test('the two buttons of a reported video stand apart, and the line under the sections is whole', async ({
  page,
  desk,
}) => {
  const { access_token: token } = await signInAt(desk, 'first');
  const { id } = await send<PickReply>(desk, 'GET', '/api/video/top-left', token);
  await send(desk, 'POST', `/api/videos/${id}/reports`, token, { reason: 'channel', text: '' });
  await new SignIn(page).enterAs(desk, 'first');
  await page.goto(`${desk.address}/?view=admin`);
  const sections = page.getByRole('navigation', { name: 'Sections' });
  await sections.getByRole('button', { name: /^Library/ }).click();
  const hide = page.getByRole('button', { name: /^Hide video/ }).first();
  await expect(hide).toBeVisible();
  const { x: start = 0, width: length = 0 } = (await hide.boundingBox()) ?? {};
  const dismiss = await page
    .getByRole('button', { name: /^Dismiss the reports/ })
    .first()
    .boundingBox();
  expect((dismiss?.x ?? 0) - start - length).toBeGreaterThanOrEqual(8);
  await send(desk, 'DELETE', `/api/admin/videos/${id}/reports`, token);

  await page.setViewportSize({ width: 390, height: 844 });
  await sections.getByRole('button', { name: 'Activity' }).click();
  await expect(sections.getByRole('button', { name: 'Activity' })).toBeInViewport();
  expect(await sections.evaluate(widthOfLine)).toBeGreaterThanOrEqual(390 - 2 * 16);
});

/** Runs in the page: the part of the line under the tabs that is seen. */
function widthOfLine(tabs: Element): number {
  const lined = [tabs, ...tabs.querySelectorAll('*')].find(
    (part) => getComputedStyle(part).borderBottomWidth === '1px',
  );
  const { left = 0, right = 0 } = lined?.getBoundingClientRect() ?? {};
  return Math.min(right, innerWidth) - Math.max(left, 0);
}

test.describe('on a phone held upright', () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test('the cards of Video Tagging show the whole names of two channels', async ({ page, club }) => {
    await new SignIn(page).enterAs(club, 'first');
    const tags = ['Aurora', 'Cities at night', 'Third'].map((name) => ({ id: name, name, color: '#3B82F6' }));
    await page.route('**/api/videos/tagging*', async (route) => {
      const response = await route.fetch();
      const list = await response.json();
      const videos = list.videos.map((item: object) => ({ ...item, tags }));
      await route.fulfill({ response, json: { ...list, videos } });
    });
    await page.goto(`${club.address}/?view=video-tagging&form=phone`);
    for (const { name } of tags.slice(0, 2)) {
      const chip = page.getByRole('main').getByText(name, { exact: true }).first();
      await expect(chip).toBeVisible();
      expect(await chip.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth), name).toBe(0);
    }
  });
});

/** Runs in the page: whether the first letter of a text is inside the box that cuts it. */
function showsBeginning(element: Element): boolean {
  const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode();
  if (text === null) return false;
  const letter = document.createRange();
  letter.setStart(text, 0);
  letter.setEnd(text, 1);
  let box = element;
  while (getComputedStyle(box).textOverflow !== 'ellipsis' && box.parentElement) box = box.parentElement;
  const [first, whole] = [letter.getBoundingClientRect(), box.getBoundingClientRect()];
  return box.scrollWidth > box.clientWidth && first.left >= whole.left - 1 && first.right <= whole.right + 1;
}

/** Runs in the page: all of them at once, because controls go away after a while. */
function measure(controls: Element[]) {
  return controls.map((control) => {
    const { right, width, height } = control.getBoundingClientRect();
    return { name: control.getAttribute('aria-label'), right, width, height };
  });
}

/** Runs in the page, whose policy refuses style elements. */
function enlarge(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('html { font-size: 32px }');
  document.adoptedStyleSheets = [sheet];
}

/** Runs in the page: ordinary words whose letters are on several lines. */
function brokenWords(): string[] {
  const broken: string[] = [];
  const longestWord = 14;
  const texts = document.createTreeWalker(document.querySelector('main') ?? document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    if (!text.parentElement?.checkVisibility({ visibilityProperty: true })) continue;
    if (text.parentElement.getBoundingClientRect().width <= 1) continue;
    for (const { 0: word, index } of text.textContent?.matchAll(/\S+/g) ?? []) {
      if (word.length > longestWord || !/^\p{L}+$/u.test(word)) continue;
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word);
    }
  }
  return broken;
}

/** Runs in the page: words that reach beyond the window, or beyond the button or row that they stand in. */
function cutWords(): string[] {
  const cut: string[] = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const parent = text.parentElement;
    // What only screen readers hear is a box of one pixel.
    const isSeen = parent?.checkVisibility({ visibilityProperty: true }) && parent.getBoundingClientRect().width > 1;
    if (!parent || !isSeen || !text.textContent?.trim()) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const { left, right } = range.getBoundingClientRect();
    const around = parent.closest('button, label, li')?.getBoundingClientRect() ?? new DOMRect(0, 0, innerWidth, 0);
    if (left < around.left - 1 || right > around.right + 1 || right > innerWidth + 1) cut.push(text.textContent);
  }
  return cut;
}

test('a screen whose address names a layout keeps it when it is reloaded, and not when it is opened anew', async ({
  page,
  feed,
}) => {
  const form = (name: string) => expect(page.locator(`html[data-form="${name}"]`)).toHaveCount(1);
  await feed.open('/?form=tv');
  await form('tv');
  await page.reload();
  await form('tv');
  await feed.open('/');
  await form('desktop');
  await page.reload();
  await form('desktop');
});
