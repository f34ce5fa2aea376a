import { pickFirstVideos } from '#contract/endpoints.ts';
import { fillFirstVideos, serverAway } from '#contract/first-videos.ts';
import { limits } from '#contract/limits.ts';
import { applyPolicy } from './kept-files.ts';

/**
 * The longest wait, more than a nearby server needs; a later answer is kept for the page, which
 * starts without it.
 */
const answerAtMostMs = 100;
const ofTheStoredFile = ['content-length', 'content-encoding', 'etag', 'last-modified'];

interface Question {
  answer: Promise<Response>;
  /** Aborts the request, even when its answer has begun. */
  abort: AbortController;
}

let late: Question | null = null;

/**
 * The stored page, with the first four videos in it when they arrive in time. They are asked for
 * before the page is read, so that neither waits for the other.
 * @param readPage reads the stored page
 * @param asked is called with the stored page and the answer that it waits for
 */
export async function addFirstVideos(
  readPage: () => Promise<Response>,
  asked: (stored: Response, answer: Promise<Response>) => void = () => {},
): Promise<Response> {
  const question = ask();
  const inTime = Promise.race([readAnswer(question.answer), after(answerAtMostMs)]);
  const stored = await readPage();
  asked(stored, question.answer);
  const answer = await inTime;
  late = answer === null ? question : null;
  if (!answer) return stored;
  const headers = headersOf(stored);
  await question.answer.then((reply) => applyPolicy(headers, reply)).catch(() => {});
  return new Response(fillFirstVideos(await stored.text(), answer), { headers });
}

/**
 * The answer that the worker requested while the page was starting, given once; after that a new
 * one.
 */
export function claimFirstVideos(request: Request): Promise<Response> {
  const question = late;
  late = null;
  if (!question) return fetch(request);
  request.signal.addEventListener('abort', () => question.abort.abort());
  return question.answer;
}

/**
 * Requests the first videos. Old engines do not tell a worker that the page has aborted: the limit
 * of a pick ends the request too, so that no connection stays open.
 */
function ask(): Question {
  const abort = new AbortController();
  setTimeout(() => abort.abort(), limits.pickTimeoutSeconds * 1000);
  return {
    answer: fetch(pickFirstVideos.path, { headers: { Accept: 'application/json' }, signal: abort.signal }),
    abort,
  };
}

/**
 * The answer's JSON; empty when it is none, and `serverAway` when nothing answers. Reads a copy, so
 * that the page can still use the answer.
 */
async function readAnswer(asked: Promise<Response>): Promise<string> {
  try {
    const { status, ok } = await asked;
    if (status === 204) return 'null';
    return ok ? await (await asked).clone().text() : '';
  } catch {
    return serverAway;
  }
}

function after(ms: number): Promise<null> {
  return new Promise((resolve) => setTimeout(() => resolve(null), ms));
}

function headersOf(stored: Response): Headers {
  const headers = new Headers(stored.headers);
  for (const name of ofTheStoredFile) headers.delete(name);
  return headers;
}
