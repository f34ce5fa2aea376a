import type { AuthReply } from '#contract/entities/account.ts';
import type { Product } from '#tests/support/product.ts';

export const password = 'north pier at dawn';

/** Makes an account as a program does, beside every browser; the first one with the code of the terminal. */
export function registerAt(product: Product, username: string): Promise<AuthReply> {
  return send(product, 'POST', '/auth/register', null, {
    username,
    email: `${username}@example.com`,
    password,
    setup_code: product.setupCode ?? undefined,
  });
}

/** Accepts the agreement, which otherwise stands over Upload. */
export async function acceptAgreement(product: Product, { access_token }: AuthReply): Promise<void> {
  await send(product, 'POST', '/api/users/eula/accept', access_token, {});
}

/** Signs in on another device. */
export function signInAt(product: Product, username: string): Promise<AuthReply> {
  return send(product, 'POST', '/auth/login', null, { identifier: username, password });
}

/** @throws for a refusal */
export async function send<Reply>(
  { address }: Product,
  method: string,
  path: string,
  accessToken: string | null,
  body?: object,
): Promise<Reply> {
  const answer = await fetch(`${address}${path}`, {
    method,
    headers: {
      ...(body && { 'Content-Type': 'application/json' }),
      ...(accessToken && { Authorization: `Bearer ${accessToken}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
  return (answer.status === 204 ? null : await answer.json()) as Reply;
}
