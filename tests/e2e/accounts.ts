import { setTimeout as delay } from 'node:timers/promises';
import type { AuthReply } from '#contract/entities/account.ts';
import type { Site } from '#tests/support/product.ts';

export const password = 'north pier at dawn';
const busy = 503;

/**
 * Makes an account as a program does, beside every browser; the first one with the code of the terminal.
 * @param endsFirstRun the first one is not asked for folders and access
 */
export async function registerAt(
  product: Site,
  username: string,
  { endsFirstRun = true }: { endsFirstRun?: boolean } = {},
): Promise<AuthReply> {
  const reply = await send<AuthReply>(product, 'POST', '/auth/register', null, {
    username,
    email: `${username}@example.com`,
    password,
    setup_code: product.setupCode ?? undefined,
  });
  if (endsFirstRun && reply.user.effective_tier === 'admin')
    await send(product, 'DELETE', '/api/admin/first-run', reply.access_token);
  return reply;
}

/** Accepts the agreement, which otherwise stands over Upload. */
export async function acceptAgreement(product: Site, { access_token }: AuthReply): Promise<void> {
  await send(product, 'POST', '/api/users/eula/accept', access_token, {});
}

/** Signs in on another device. */
export function signInAt(product: Site, username: string): Promise<AuthReply> {
  return send(product, 'POST', '/auth/login', null, { identifier: username, password });
}

/**
 * Tries again where the server is busy, as its answer asks for.
 * @throws for a refusal
 */
export async function send<Reply>(
  product: Site,
  method: string,
  path: string,
  accessToken: string | null,
  body?: object,
): Promise<Reply> {
  const answer = await fetch(`${product.address}${path}`, {
    method,
    headers: {
      ...(body && { 'Content-Type': 'application/json' }),
      ...(accessToken && { Authorization: `Bearer ${accessToken}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (answer.status === busy) {
    await delay(Number(answer.headers.get('retry-after') ?? 1) * 1_000);
    return send(product, method, path, accessToken, body);
  }
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
  return (answer.status === 204 ? null : await answer.json()) as Reply;
}
