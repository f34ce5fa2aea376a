import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import PasswordScreen, { resetNews } from '#app/features/auth/password-screen.tsx';
import { access, resetAccess } from '#app/state/access.ts';
import { MarkdownText } from '#app/ui/markdown-text.tsx';
import { button, draw, settle } from '../draw.tsx';
import { layOut } from '../laid-out.ts';

beforeEach(() => {
  layOut();
  vi.stubGlobal('fetch', async () => new Response("# What's New\n\n- One thing"));
});

afterEach(async () => {
  await settle(() => {
    resetAccess();
    resetNews();
  });
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test('it says what is the matter, starts on its field, and cannot be sent empty', async () => {
  const screen = await draw(<PasswordScreen />);
  expect(screen.querySelector('h1')?.textContent).toBe('This site is private');
  expect(screen.textContent).toContain(
    'The site currently requires a password. Please request access from the site owner.',
  );
  expect(document.activeElement).toBe(screen.querySelector('input'));
  expect(button('Enter Site').disabled).toBe(true);
});

test.each([
  ['on Discord', { platform: 'Discord', url: null }, null],
  ['on Matrix', { platform: 'Matrix', url: 'https://matrix.example/room' }, 'https://matrix.example/room'],
])('it says that access is requested %s', async (_, requestAccess, href) => {
  access.requestAccess = requestAccess;
  const screen = await draw(<PasswordScreen />);
  expect(screen.textContent).toContain(
    `The site currently requires a password. Please request access from the site owner on ${requestAccess.platform}.`,
  );
  expect(screen.querySelector('p a')?.getAttribute('href') ?? null).toBe(href);
});

test('the news are announced while they load, and then stand below their title', async () => {
  const screen = await draw(<PasswordScreen />);
  expect(screen.querySelector('section h2')?.textContent).toBe("What's New");
  await vi.waitFor(async () => {
    await settle();
    expect(screen.querySelector('li')?.textContent).toBe('One thing');
  });
});

test('news that are nested deeper than can be drawn are shown as they were written, and the form stands', async () => {
  const text = `${'>'.repeat(3_000)} a`;
  vi.stubGlobal('fetch', async () => new Response(text));
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const screen = await draw(<PasswordScreen />);
  await vi.waitFor(async () => {
    await settle();
    expect(screen.querySelector('section[aria-labelledby="news-title"]')?.textContent).toContain(text);
  });
  expect(button('Enter Site').disabled).toBe(true);
});

test('news that are longer than their side can have the focus, so that keys and remotes read on', async () => {
  vi.spyOn(HTMLElement.prototype, 'scrollHeight', 'get').mockReturnValue(900);
  const screen = await draw(<PasswordScreen />);
  await vi.waitFor(async () => {
    await settle();
    expect(screen.querySelector('section[tabindex="0"] h2')?.textContent).toBe("What's New");
  });
});

test('news that become longer than their side after they were drawn can have it, too', async () => {
  const resized: (() => void)[] = [];
  const Watched = class {
    constructor(onChange: () => void) {
      resized.push(onChange);
    }
    observe() {}
    disconnect() {}
  };
  vi.stubGlobal('ResizeObserver', Watched);
  const screen = await draw(<PasswordScreen />);
  await vi.waitFor(async () => {
    await settle();
    expect(screen.querySelector('section[aria-labelledby="news-title"] li')).not.toBeNull();
  });
  expect(screen.querySelector('section[tabindex="0"]')).toBeNull();
  vi.spyOn(HTMLElement.prototype, 'scrollHeight', 'get').mockReturnValue(900);
  await settle(() => {
    for (const report of resized) report();
  });
  expect(screen.querySelector('section[tabindex="0"] h2')?.textContent).toBe("What's New");
});

const draws = async (text: string) => (await draw(<MarkdownText text={text} onDraw={() => {}} />)).innerHTML;

test.each([
  'http://a.example',
  'https://a.example',
  'irc://a.example',
  'ircs://a.example',
  'mailto:a@b.example',
  'xmpp:a@b.example',
])('news may link to %s', async (address) => {
  expect(await draws(`[here](${address})`)).toContain(`href="${address}"`);
});

test.each([
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  'java&#10;script:alert(1)',
  'data:text/html,x',
  'vbscript:x',
  'file:///etc/passwd',
  'tel:1',
  'blob:http://x',
])('news may not link to %s', async (address) => {
  const html = await draws(`[here](<${address}>)\n\n[there][x]\n\n[x]: <${address}>`);
  expect(html).not.toMatch(/(javascript|script|data|vbscript|file|tel|blob):/i);
});

test.each([
  ['raw HTML', '<b onclick="alert(1)">bold</b>\n\n<script>alert(1)</script>\n\n<iframe src="/"></iframe>'],
  ['pictures', '![alt](https://a.example/beacon.png)'],
  ['pictures by reference', '![alt][x]\n\n[x]: https://a.example/beacon.png'],
  ['pictures in links', '[![alt](/beacon.png)](https://a.example)'],
])('news show no %s', async (_, text) => {
  const screen = await draw(<MarkdownText text={text} onDraw={() => {}} />);
  expect(screen.querySelector('img, script, iframe, b, [onclick]')).toBeNull();
});

test.each([
  ['brackets', '['.repeat(10_000)],
  ['pictures in links', '![['.repeat(5_000)],
  ['emphasis', '*a '.repeat(10_000).trim()],
])('news with %s that never end are the text that they are', async (_, text) => {
  expect((await draw(<MarkdownText text={text} onDraw={() => {}} />)).textContent).toBe(text);
});

test('a link whose address is taken out is words, and does not look like a link', async () => {
  const screen = await draw(
    <MarkdownText text="See [here](javascript:alert) and [there](https://a.example)." onDraw={() => {}} />,
  );
  expect(screen.textContent?.trim()).toBe('See here and there.');
  expect([...screen.querySelectorAll('a')].map(({ textContent }) => textContent)).toEqual(['there']);
});

test('links leave the page where it is and tell nothing of it', async () => {
  const html = await draws('[here](https://a.example)');
  expect(html).toContain('target="_blank"');
  expect(html).toContain('rel="noopener noreferrer"');
});
