import type { KeyObject } from 'node:crypto';
import { generateKeyPairSync } from 'node:crypto';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';
import type { AtEnd } from '../temporary-folder.ts';

/** What the provider says of somebody; their subject is the name they sign in with. */
export interface OpenIdPerson {
  email?: string;
  email_verified?: boolean;
  name?: string;
  preferred_username?: string;
  picture?: string;
}

export interface OpenIdServer {
  issuer: string;
  /** Those it knows, by the name they sign in with. */
  people: Map<string, OpenIdPerson>;
  /** Answers everything with 500 while true. */
  isBroken: boolean;
  /** What stands in its id tokens in place of the truth; `isForged`: under the signature of another key. */
  lie: { claims: Record<string, unknown>; isForged: boolean } | null;
  /** Goes through sign-in and consent as a browser does. @returns the address that the browser is sent back to */
  signIn(start: string, login: string): Promise<URL>;
}

export const openIdClient = { clientId: 'fourfold', clientSecret: 'a secret of the client' };

/** A real OpenID Connect provider on loopback. */
export async function openIdServer(redirectUrl: string, atEnd: AtEnd): Promise<OpenIdServer> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => closeServer(server));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const people = new Map<string, OpenIdPerson>();
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const provider = createProvider(issuer, redirectUrl, people, keys.privateKey);
  const facts: OpenIdServer = {
    issuer,
    people,
    isBroken: false,
    lie: null,
    signIn: (start, login) => walk(start, login, redirectUrl),
  };
  provider.use(async (context, next) => {
    await next();
    if (facts.lie !== null && context.body?.id_token)
      context.body.id_token = await rewrite(context.body.id_token, facts.lie, keys.privateKey);
  });
  const handle = provider.callback();
  server.on('request', (request, response) => {
    if (facts.isBroken) response.writeHead(500).end();
    else void handle(request, response);
  });
  return facts;
}

/** The token with other claims, signed anew. */
function rewrite(
  token: string,
  { claims, isForged }: NonNullable<OpenIdServer['lie']>,
  key: KeyObject,
): Promise<string> {
  const { alg = '', ...header } = decodeProtectedHeader(token);
  const signer = isForged ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey : key;
  return new SignJWT({ ...decodeJwt(token), ...claims }).setProtectedHeader({ ...header, alg }).sign(signer);
}

function createProvider(
  issuer: string,
  redirectUrl: string,
  people: ReadonlyMap<string, OpenIdPerson>,
  privateKey: KeyObject,
): Provider {
  return new Provider(issuer, {
    clients: [
      {
        client_id: openIdClient.clientId,
        client_secret: openIdClient.clientSecret,
        redirect_uris: [redirectUrl],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }] },
    cookies: { keys: ['a key of the test'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'preferred_username', 'picture'] },
    pkce: { required: () => true },
    // What the package would otherwise say on the terminal, as often as it is asked.
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
    renderError: (context: { body: unknown }, out: { error: string }) => {
      context.body = out.error;
    },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: async () => ({ ...people.get(id), sub: id }),
    }),
  });
}

async function walk(start: string, login: string, redirectUrl: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let address = new URL(start);
  let form: URLSearchParams | null = null;
  for (let step = 0; step < 12; step += 1) {
    const answer: Response = await fetch(address, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === null ? {} : { method: 'POST', body: form }),
    });
    for (const line of answer.headers.getSetCookie()) keepCookie(cookies, line);
    const location = answer.headers.get('location');
    const page = await answer.text();
    form = location === null ? formOf(page, login) : null;
    if (location !== null) address = new URL(location, address);
    if (address.href.startsWith(redirectUrl)) return address;
  }
  throw new Error('The provider never came to an end.');
}

function keepCookie(cookies: Map<string, string>, line: string): void {
  const [pair = ''] = line.split(';');
  const [name = '', value = ''] = pair.split(/=(.*)/s);
  if (value === '') cookies.delete(name);
  else cookies.set(name, value);
}

function formOf(page: string, login: string): URLSearchParams {
  const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
  if (prompt === undefined) throw new Error(`The provider shows no form: ${page.slice(0, 500)}`);
  return new URLSearchParams(prompt === 'login' ? { prompt, login, password: 'any' } : { prompt });
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
