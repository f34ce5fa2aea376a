import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OAuthAddresses } from '#server/features/auth/providers/provider.ts';
import type { AtEnd } from '../temporary-folder.ts';

/** What each path of the provider's interface answers. */
export type Replies = Record<string, { status?: number; body: unknown; type?: string }>;

export interface OAuthServer {
  addresses: OAuthAddresses;
  replies: Replies;
  /** Every call of the interface: path and what it carried. */
  asked: { path: string; authorization: string | undefined; userAgent: string | undefined }[];
  /** As if the person had agreed. @returns the callback */
  agree(start: URL): URL;
}

export const oauthClient = { clientId: 'fourfold', clientSecret: 'a secret of the client' };

/**
 * A provider of plain OAuth 2.0 on loopback, which replays what one documents. Codes are good once, for the right
 * client, redirect and verifier.
 */
export async function oauthServer(
  paths: { authorization: string; token: string; person: string },
  atEnd: AtEnd,
): Promise<OAuthServer> {
  const codes = new Map<string, { challenge: string; redirect: string }>();
  const tokens = new Set<string>();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => closeServer(server));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const of = (path: string) => `${origin}${path}`;
  const facts: OAuthServer = {
    addresses: {
      issuer: origin,
      authorization: of(paths.authorization),
      token: of(paths.token),
      person: of(paths.person),
      avatars: '127.0.0.1',
    },
    replies: {},
    asked: [],
    agree(start) {
      const code = randomBytes(10).toString('hex');
      const { searchParams: wish } = start;
      codes.set(code, { challenge: wish.get('code_challenge') ?? '', redirect: wish.get('redirect_uri') ?? '' });
      return new URL(`${wish.get('redirect_uri')}?code=${code}&state=${wish.get('state')}`);
    },
  };

  const trade = (form: URLSearchParams) => {
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const isRight =
      code !== undefined &&
      form.get('client_id') === oauthClient.clientId &&
      form.get('client_secret') === oauthClient.clientSecret &&
      form.get('redirect_uri') === code.redirect &&
      createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url') === code.challenge;
    // GitHub answers 200 with the error inside.
    if (!isRight)
      return { error: 'bad_verification_code', error_description: 'The code passed is incorrect or expired.' };
    const token = randomBytes(10).toString('hex');
    tokens.add(`Bearer ${token}`);
    return { access_token: token, scope: 'any', token_type: 'bearer' };
  };

  server.on('request', async (request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    const answer = (status: number, body: unknown, type = 'application/json; charset=utf-8') =>
      response.writeHead(status, { 'content-type': type }).end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
    if (path === paths.token) return answer(200, trade(new URLSearchParams(await read(request))));
    const reply = facts.replies[path];
    if (reply === undefined) return answer(404, { message: 'Not Found' });
    if (reply.type !== undefined) return answer(200, reply.body, reply.type);
    facts.asked.push({ path, authorization: request.headers.authorization, userAgent: request.headers['user-agent'] });
    if (!tokens.has(request.headers.authorization ?? '')) return answer(401, { message: 'Bad credentials' });
    return answer(reply.status ?? 200, reply.body);
  });
  return facts;
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
