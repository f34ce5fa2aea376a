import { pickFirstVideos } from '#contract/endpoints.ts';
import { fillFirstVideos } from '#contract/first-videos.ts';
import { limits } from '#contract/limits.ts';

/** Longer than a server nearby needs; what comes later is kept for the page, which is not held up by it. */
const answerAtMostMs = 100;
const ofTheStoredFile = ['content-length', 'content-encoding', 'etag', 'last-modified'];

interface Question {
  answer: Promise<Response>;
  /** Also ends an answer that has begun. */
  abort: AbortController;
}

let late: Question | null = null;

/** The stored page, with the first four videos in it when they come soon enough. */
export async function addFirstVideos(stored: Response): Promise<Response> {
  const question = ask();
  const answer = await Promise.race([readAnswer(question.answer), after(answerAtMostMs)]);
  late = answer === null ? question : null;
  if (!answer) return stored;
  return new Response(fillFirstVideos(await stored.text(), answer), { headers: headersOf(stored) });
}

/** What the worker asked for while the page was starting; asked now when that has been taken. */
export function claimFirstVideos(request: Request): Promise<Response> {
  const question = late;
  late = null;
  if (!question) return fetch(request);
  request.signal.addEventListener('abort', () => question.abort.abort());
  return question.answer;
}

/**
 * Old engines do not tell a worker that the page has given up: the limit of a pick ends it too, so that no connection
 * is held for good.
 */
function ask(): Question {
  const abort = new AbortController();
  setTimeout(() => abort.abort(), limits.pickTimeoutSeconds * 1000);
  return {
    answer: fetch(pickFirstVideos.path, { headers: { Accept: 'application/json' }, signal: abort.signal }),
    abort,
  };
}

/** JSON; empty when there is none to have. Reads a copy, so that the page can still have the answer. */
async function readAnswer(asked: Promise<Response>): Promise<string> {
  try {
    const { status, ok } = await asked;
    if (status === 204) return 'null';
    return ok ? await (await asked).clone().text() : '';
  } catch {
    return '';
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
