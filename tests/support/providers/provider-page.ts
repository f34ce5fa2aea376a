import type { LightMyRequestResponse } from 'fastify';
import type { ProviderMessage } from '#contract/entities/account.ts';
import { providerMessageSchema } from '#contract/entities/account.ts';

/** What the page at the end of a visit hands to the app. */
export function messageOf(reply: LightMyRequestResponse): ProviderMessage {
  const json = /<script type="application\/json" id="message">(.*?)<\/script>/s.exec(reply.body)?.[1] ?? '';
  return providerMessageSchema.parse(JSON.parse(json));
}

export function errorOf(reply: LightMyRequestResponse): string | null {
  const message = messageOf(reply);
  return message.type === 'OAUTH_ERROR' ? message.error : null;
}

/** Those that the reply sets, by their names. */
export function cookiesOf(reply: LightMyRequestResponse): Record<string, string> {
  return Object.fromEntries(
    reply.cookies.filter((cookie) => cookie.value !== '').map((cookie) => [cookie.name, cookie.value]),
  );
}
