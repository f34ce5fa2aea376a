import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Library } from '#tests/support/library.ts';
import { addBrokenVideo, copyLibrary, fixtureNames, makeLibrary } from '#tests/support/library.ts';
import { corpusFile } from '#tests/support/media/corpus/corpus-entry.ts';
import type { Product, ProductOptions, Site } from '#tests/support/product.ts';
import { startProduct } from '#tests/support/product.ts';
import { openIdClient, openIdServer } from '#tests/support/providers/openid-server.ts';
import { acceptAgreement, registerAt } from './accounts.ts';

/**
 * What a product finds when it starts: the demo clips, any files by their paths in the library, or fixtures by name
 * (`hue-030`), some with noise for pictures, and other files `beside` them, by name.
 */
export type Shelf =
  | 'demo'
  | { readonly files: Readonly<Record<string, string>> }
  | {
      readonly names: readonly string[];
      readonly broken?: readonly string[];
      readonly beside?: Readonly<Record<string, string>>;
      readonly container?: 'mp4' | 'webm';
    };

/** A product that runs, and what ends it and all that was made for it. */
export interface Opened {
  readonly product: Product;
  dispose(): Promise<void>;
}

export async function openProduct(shelf: Shelf, environment?: ProductOptions['environment']): Promise<Opened> {
  const library = shelf === 'demo' ? null : await fill(shelf);
  try {
    const product = await startProduct({
      ...(library && { libraryDirs: [library.folder] }),
      ...(environment && { environment }),
    });
    const dispose = async () => {
      await product.dispose();
      await library?.remove();
    };
    return { product, dispose };
  } catch (error) {
    await library?.remove();
    throw error;
  }
}

async function fill(shelf: Exclude<Shelf, 'demo'>): Promise<Library> {
  if ('files' in shelf) return copyLibrary(shelf.files);
  const { names, broken = [], beside = {}, container } = shelf;
  const library = await makeLibrary(names, container);
  await Promise.all(broken.map((name) => addBrokenVideo(library, name, `broken-${name}`)));
  await Promise.all(Object.entries(beside).map(([name, text]) => writeFile(join(library.folder, name), text)));
  return library;
}

const hues = await fixtureNames('hue');
const fourHues = ['hue-000', 'hue-090', 'hue-180', 'hue-270'];
const spokenHues = ['hue-000', 'hue-090', 'hue-180', 'hue-240', 'hue-300'];
const subtitles = (text: string) => `1\n00:00:00,000 --> 00:10:00,000\n${text}\n`;

/** What `gate` is configured with. */
export const closedSite = {
  SITE_PASSWORD: 'open sesame',
  REQUEST_ACCESS_PLATFORM: 'Discord',
  REQUEST_ACCESS_URL: 'https://discord.example/invite',
  REGISTRATION: 'closed',
};

/** The products that journeys share: each is started for the first that asks, and runs until the last has ended. */
const shared = {
  /** The twelve `hue` videos, for journeys that leave the product as it is. */
  product: () => openProduct({ names: hues }),
  /** The same, for people: see `openClub`. */
  club: openClub,
  demo: async () => withFirst(await openProduct('demo')),
  /** Too few videos for another one to be prepared. */
  scarce: () => openProduct({ names: hues.slice(0, 8) }),
  /** Videos of three seconds. */
  brief: async () => openProduct({ names: await fixtureNames('brief') }),
  /** One of six videos cannot be decoded. */
  flawed: () => openProduct({ names: ['hue-000', 'hue-060', 'hue-120', 'hue-180', 'hue-240'], broken: ['hue-300'] }),
  /** Five videos that are spoken to their ends, in two languages. */
  spoken: () =>
    openProduct({
      names: spokenHues,
      beside: Object.fromEntries(
        spokenHues.flatMap((name) => [
          [`${name}.en.srt`, subtitles('It is <i>raining</i> again.\nShall we go?')],
          [`${name}.ger.srt`, subtitles('Es regnet schon wieder.')],
        ]),
      ),
    }),
  /** Nothing in the library plays, and there is no ffmpeg. */
  unplayable: () => openProduct({ files: { 'old.avi': corpusFile('xvid-mp3.avi') } }),
  /** A closed site without an account. */
  gate: () => openProduct({ names: fourHues }, closedSite),
  /** For accounts that upload. */
  inbox: async () => withFirst(await openProduct({ names: ['hue-000'] })),
  /** Four videos and an administrator, for one journey at a time, which may change everything but settings. */
  desk: async () => withFirst(await openProduct({ names: fourHues })),
} satisfies Record<string, () => Promise<Opened>>;

export type SharedName = keyof typeof shared;

/** A real OpenID provider, who knows `olga`, stands beside the product. The first account has accepted the agreement. */
async function openClub(): Promise<Opened> {
  const endings: (() => void | Promise<void>)[] = [];
  const { product, dispose } = await openProduct({ names: hues }, async (address) => {
    const provider = await openIdServer(`${address}/auth/oauth/oidc/callback`, (end) => endings.push(end));
    provider.people.set('olga', { email: 'olga@example.com', email_verified: true, name: 'Olga Berg' });
    return {
      PUBLIC_URL: address,
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: openIdClient.clientId,
      OIDC_CLIENT_SECRET: openIdClient.clientSecret,
      OIDC_NAME: 'Guild',
    };
  });
  await acceptAgreement(product, await registerAt(product, 'first'));
  return {
    product,
    dispose: async () => {
      await dispose();
      for (const end of endings) await end();
    },
  };
}

async function withFirst(opened: Opened): Promise<Opened> {
  await registerAt(opened.product, 'first');
  return opened;
}

const setting = 'FOURFOLD_SHARED_PRODUCTS';

/** Keeps the products that all workers of a run share, and tells their processes where it is. @returns what ends them */
export async function keepProducts(): Promise<() => Promise<void>> {
  const kept = new Map<string, Promise<Opened>>();
  const server = createServer(async (request, response) => {
    const key = request.url ?? '';
    const [, name = ''] = key.split('/');
    try {
      const opening = kept.get(key) ?? shared[name as SharedName]();
      kept.set(key, opening);
      opening.catch(() => kept.delete(key));
      const { address, dataDir, setupCode } = (await opening).product;
      response.end(JSON.stringify({ address, dataDir, setupCode }));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.env[setting] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return async () => {
    server.close();
    await Promise.all([...kept.values()].map(async (opening) => (await opening).dispose()));
  };
}

/** @param key journeys that give the same get the same product */
export async function askForShared(name: SharedName, key: number): Promise<Site> {
  const answer = await fetch(`${process.env[setting]}/${name}/${key}`);
  if (!answer.ok) throw new Error(`${name} could not be started: ${await answer.text()}`);
  return (await answer.json()) as Site;
}
