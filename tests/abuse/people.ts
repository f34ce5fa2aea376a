import type { Setting } from './attack.ts';
import type { Client } from './client.ts';
import { createClient, fieldsOf } from './client.ts';
import type { Inspector } from './inspect.ts';
import type { ProductProcess } from './product-process.ts';
import { sitePassword } from './settings.ts';

/** Somebody with an account, who is signed in. */
export interface Member {
  id: string;
  username: string;
  email: string;
  password: string;
  client: Client;
}

/** Who comes to a product. */
export interface People {
  /**
   * Somebody from an address that nobody has used before: outside of the gate where it is closed. Behind a proxy the
   * address is a public one.
   */
  stranger(headers?: Record<string, string>): Client;
  /** The same, with the site's password shown. */
  visitor(headers?: Record<string, string>): Promise<Client>;
  /** A new account; the first one is the administrator's. */
  member(): Promise<Member>;
  /** The administrator, who is made when first asked for. */
  admin(): Promise<Member>;
  /** The set-up code that the terminal shows at the moment. */
  setupCode(): string;
  /** Closes all connections of its clients. */
  release(): void;
}

interface Parts {
  setting: Setting;
  address: string;
  process: ProductProcess;
  inspector: Inspector;
}

export function createPeople({ setting, address, process: product, inspector }: Parts): People {
  const clients = new Set<Client>();
  let people = 0;
  let admin: Promise<Member> | null = null;

  function stranger(headers: Record<string, string> = {}): Client {
    people += 1;
    const [high, low] = [people >> 8, people & 255];
    // 100.64.0.0/10 is nobody's in public; everybody has a network (/24) of their own.
    const forwarded: Record<string, string> =
      setting === 'proxied' ? { 'x-forwarded-for': `100.${64 + high}.${low}.1` } : {};
    const client = createClient({
      address,
      from: `127.1.${high}.${low}`,
      headers: { ...forwarded, ...headers },
      inspect: inspector.answer,
    });
    clients.add(client);
    return client;
  }

  async function visitor(headers: Record<string, string> = {}): Promise<Client> {
    if (setting !== 'proxied') return stranger(headers);
    const entry = await stranger(headers).post('/api/password-auth', { password: sitePassword });
    const cookies = (entry.headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0]).join('; ');
    if (cookies === '') throw new Error(`The site password was refused with ${entry.status}.`);
    return stranger({ cookie: cookies, ...headers });
  }

  const setupCode = () =>
    product
      .said()
      .match(/\b[B-Z]{4}-[B-Z]{4}\b/g)
      ?.at(-1) ?? '';

  async function register(code?: string): Promise<Member> {
    const client = await visitor();
    const username = `swimmer-${people}`;
    const email = `${username}@example.com`;
    const password = `across the ${people} bays by night`;
    inspector.keepSecret(password);
    const reply = await client.post('/auth/register', { username, email, password, setup_code: code });
    if (reply.status !== 201) throw new Error(`Registration was answered with ${reply.status}: ${reply.body}`);
    const { access_token, user } = fieldsOf(reply);
    const token = String(access_token);
    inspector.keepSecret(token);
    return {
      id: String((user as { id?: unknown }).id),
      username,
      email,
      password,
      client: await visitor({ authorization: `Bearer ${token}` }),
    };
  }

  const findAdmin = () => {
    admin ??= register(setupCode());
    return admin;
  };
  return {
    stranger,
    visitor,
    setupCode,
    admin: findAdmin,
    async member() {
      await findAdmin();
      return register();
    },
    release() {
      for (const client of clients) client.close();
      clients.clear();
    },
  };
}
