import { pickFirstVideos } from '#contract/endpoints.ts';
import { fillFirstVideos } from '#contract/first-videos.ts';

/** Longer than a server nearby needs; what comes later is kept for the page, which is not held up by it. */
const answerAtMostMs = 100;
const ofTheStoredFile = ['content-length', 'content-encoding', 'etag', 'last-modified'];

let late: Promise<Response> | null = null;

/** The stored page, with the first four videos in it when they come soon enough. */
export async function addFirstVideos(stored: Response): Promise<Response> {
  const asked = fetch(pickFirstVideos.path, { headers: { Accept: 'application/json' } });
  const answer = await Promise.race([readAnswer(asked), after(answerAtMostMs)]);
  late = answer === null ? asked : null;
  if (!answer) return stored;
  return new Response(fillFirstVideos(await stored.text(), answer), { headers: headersOf(stored) });
}

/** What the worker asked for while the page was starting; asked now when that has been taken. */
export function takeFirstVideos(request: Request): Promise<Response> {
  const asked = late ?? fetch(request);
  late = null;
  return asked;
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
