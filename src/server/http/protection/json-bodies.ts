import type { FastifyInstance } from 'fastify';
import { Refusal } from '../pipeline/errors.ts';

/** No body of ours has more than five objects and lists inside one another. */
const deepest = 32;

const quote = 0x22;
const backslash = 0x5c;
const opening: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const closing: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/**
 * Reads JSON as the framework does, also none at all where a call asks for none, and nothing that is nested deeper than
 * any call needs: whatever walks through it would run out of stack.
 */
export function readJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '' && request.routeOptions.config.takesBody !== true) done(null, undefined);
    else if (isNestedDeeper(String(body), deepest))
      done(new Refusal('bad_request', { message: 'This is nested too deeply.' }));
    else parse(request, String(body), done);
  });
}

/** Counts brackets outside of strings, in one pass; whether it is JSON at all is for the parser to say. */
export function isNestedDeeper(json: string, most: number): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (isInString && code === backslash) at += 1;
    else if (code === quote) isInString = !isInString;
    else if (!isInString && opening.has(code)) depth += 1;
    else if (!isInString && closing.has(code)) depth -= 1;
    if (depth > most) return true;
  }
  return false;
}
