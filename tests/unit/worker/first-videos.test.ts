import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { firstVideosId, serverAway } from '#contract/first-videos.ts';
import { addFirstVideos, claimFirstVideos } from '../../../sw/first-videos.ts';

const page = `<!doctype html><script type="application/json" id="${firstVideosId}"></script><title>Fourfold</title>`;
const picks = '{"top-left":{"id":"1"}}';
const asked = vi.fn<typeof fetch>();

const stored = async () =>
  new Response(page, {
    headers: { 'content-type': 'text/html', 'content-security-policy': "script-src 'self'", 'content-encoding': 'br' },
  });
const takenByPage = () => claimFirstVideos(new Request('http://localhost/api/video/first'));

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('fetch', asked);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  asked.mockReset();
});

test('what the server answers soon stands in the page, under the policy of the stored one', async () => {
  asked.mockResolvedValueOnce(new Response(picks));
  const reply = await addFirstVideos(stored);
  expect(await reply.text()).toContain(`${picks}</script>`);
  expect(Object.fromEntries(reply.headers)).toEqual({
    'content-type': 'text/html',
    'content-security-policy': "script-src 'self'",
  });
  expect(String(asked.mock.calls[0]?.[0])).toBe('/api/video/first');
});

test('to a browser that is signed in the page says that there is nothing to ask ahead', async () => {
  asked.mockResolvedValueOnce(new Response(null, { status: 204 }));
  expect(await (await addFirstVideos(stored)).text()).toContain('>null</script>');
});

test('with a refusal the stored page comes as it is', async () => {
  asked.mockResolvedValueOnce(new Response('{"error":"site_password_required"}', { status: 401 }));
  expect(await (await addFirstVideos(stored)).text()).toBe(page);
});

test('without a network the page says so', async () => {
  asked.mockRejectedValueOnce(new TypeError('Failed to fetch'));
  expect(await (await addFirstVideos(stored)).text()).toContain(`>${serverAway}</script>`);
});

test('a slow server holds the page up for a tenth of a second, and its answer goes to the page when it asks', async () => {
  let answer = (_reply: Response) => {};
  asked.mockReturnValueOnce(
    new Promise((resolve) => {
      answer = resolve;
    }),
  );
  const reply = addFirstVideos(stored);
  await vi.advanceTimersByTimeAsync(100);
  expect(await (await reply).text()).toBe(page);
  const taken = takenByPage();
  answer(new Response(picks));
  expect(await (await taken).text()).toBe(picks);
  expect(asked).toHaveBeenCalledTimes(1);
});

test('the videos are on their way before the stored page is read', async () => {
  asked.mockResolvedValueOnce(new Response(picks));
  const readPage = vi.fn(stored);
  await addFirstVideos(readPage);
  expect(asked.mock.invocationCallOrder[0]).toBeLessThan(readPage.mock.invocationCallOrder[0] ?? 0);
});

test('a page that asks again is answered by the server anew', async () => {
  asked.mockResolvedValueOnce(new Response(picks));
  await addFirstVideos(stored);
  asked.mockResolvedValueOnce(new Response('{"top-left":{"id":"2"}}'));
  expect(await (await takenByPage()).text()).toBe('{"top-left":{"id":"2"}}');
});

describe('a server that never answers', () => {
  /** As `fetch` does: ends with its signal, and with nothing else. */
  const silent = (_: RequestInfo | URL, options?: RequestInit) =>
    new Promise<Response>((_resolve, reject) =>
      options?.signal?.addEventListener('abort', () => reject(new DOMException('Aborted', 'AbortError'))),
    );
  const outcomeOf = (answer: Promise<Response>) =>
    answer.then(
      ({ status }) => status,
      (error: Error) => error.name,
    );
  const signalOf = (call: number) => asked.mock.calls[call]?.[1]?.signal;

  async function startUnanswered(): Promise<void> {
    asked.mockImplementation(silent);
    const reply = addFirstVideos(stored);
    await vi.advanceTimersByTimeAsync(100);
    await reply;
  }

  test("holds a page's question no longer than a pick may take", async () => {
    await startUnanswered();
    const outcome = outcomeOf(takenByPage());
    await vi.advanceTimersByTimeAsync(9_899);
    expect(signalOf(0)?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await outcome).toBe('AbortError');
  });

  test('is asked no longer when the page gives up', async () => {
    await startUnanswered();
    const page = new AbortController();
    const outcome = outcomeOf(
      claimFirstVideos(new Request('http://localhost/api/video/first', { signal: page.signal })),
    );
    page.abort();
    expect([await outcome, signalOf(0)?.aborted]).toEqual(['AbortError', true]);
  });
});
