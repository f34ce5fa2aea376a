import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { EnvRefused, readEnv } from '#server/env.ts';
import { envSchema } from '#server/env-variables.ts';

const example = readFileSync(new URL('../../../.env.example', import.meta.url), 'utf8');
const exampleVariables = Object.fromEntries(
  [...example.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
);

describe('the environment', () => {
  test('may be empty', () => {
    expect(readEnv({})).toMatchObject({
      host: '0.0.0.0',
      port: 4400,
      databaseUrl: undefined,
      libraryFolders: [],
      trustedProxies: [],
      analytics: null,
    });
  });

  test('that leaves a variable blank leaves it unset', () => {
    expect(readEnv({ PORT: '', DATABASE_URL: ' ' })).toEqual(readEnv({}));
  });

  test('that sets a password of blanks is refused: the site would be open', () => {
    for (const SITE_PASSWORD of [' ', '  ', '\t'])
      expect(refusalOf({ SITE_PASSWORD }).problems).toEqual([expect.stringContaining('SITE_PASSWORD')]);
    expect(readEnv({ SITE_PASSWORD: '' }).sitePassword).toBe(undefined);
  });

  test('names library folders, each once and absolute', () => {
    expect(readEnv({ LIBRARY_DIRS: '/films::/films:/home/me' }).libraryFolders).toEqual(['/films', '/home/me']);
    expect(readEnv({ LIBRARY_DIRS: 'films' }).libraryFolders).toEqual([`${process.cwd()}/films`]);
  });

  test('that is wrong is refused with everything that is wrong', () => {
    const refusal = refusalOf({
      PORT: '70000',
      DATABASE_URL: 'mysql://x',
      TRUST_PROXY: 'yes',
      LOG_LEVEL: 'loud',
      ANALYTICS_ENDPOINT: 'nowhere',
    });
    expect(refusal.problems.map((problem) => problem.split(' ')[0]).sort()).toEqual([
      'ANALYTICS_ENDPOINT',
      'DATABASE_URL',
      'LOG_LEVEL',
      'PORT',
      'TRUST_PROXY',
    ]);
    for (const problem of refusal.problems) expect(refusal.message).toContain(problem);
  });

  test.each([
    ['off', []],
    ['on', ['127.0.0.0/8', '::1']],
    ['10.0.0.2, 172.16.0.0/12,fd00::/8', ['10.0.0.2', '172.16.0.0/12', 'fd00::/8']],
  ])('believes with TRUST_PROXY=%s the proxies %j', (TRUST_PROXY, trustedProxies) => {
    expect(readEnv({ TRUST_PROXY }).trustedProxies).toEqual(trustedProxies);
  });

  test.each([
    ['0', 0],
    ['0.1', 1e8],
    ['200', 2e11],
    ['', undefined],
  ])('gives encodings with DERIVED_GB=%s as many bytes: %j', (DERIVED_GB, bytes) => {
    expect(readEnv({ DERIVED_GB }).derivedBytes).toBe(bytes);
  });

  test.each(['-1', '0.05', '10001', 'much'])('refuses DERIVED_GB=%s', (DERIVED_GB) => {
    expect(refusalOf({ DERIVED_GB }).problems).toEqual([expect.stringContaining('DERIVED_GB')]);
  });

  test.each(['a-token-of-16-xx', 'x'.repeat(500), 'AZaz09._~+/=-=_.'])('takes METRICS_TOKEN=%s', (METRICS_TOKEN) => {
    expect(readEnv({ METRICS_TOKEN }).metricsToken).toBe(METRICS_TOKEN);
  });

  test.each([
    'a-token-of-15-x',
    'with blanks between it',
    'with "signs" that no header carries',
    'smörgåsbord-smörgåsbord',
  ])('refuses METRICS_TOKEN=%s, without repeating it', (METRICS_TOKEN) => {
    const { message } = refusalOf({ METRICS_TOKEN });
    expect(message).toContain('METRICS_TOKEN has to have at least 16 characters');
    expect(message).not.toContain(METRICS_TOKEN);
  });

  test.each(['yes', 'on, 10.0.0.2', 'traefik', '10.0.0.0/33', '10.0.0.2/', 'fd00::/129', '10.0.0.2/8/8', '*'])(
    'refuses TRUST_PROXY=%s',
    (TRUST_PROXY) => {
      expect(refusalOf({ TRUST_PROXY }).problems).toEqual([expect.stringMatching(/^TRUST_PROXY /)]);
    },
  );

  test.each(['postgres://me:a/b@db/site', 'postgres://me:a?b@db/site', 'postgres://me:a#b@db/site'])(
    'refuses DATABASE_URL=%s, whose password ends the address, without repeating it',
    (DATABASE_URL) => {
      expect(refusalOf({ DATABASE_URL }).problems).toEqual([
        'DATABASE_URL cannot be read: in a password, / is written %2F, ? is %3F, # is %23 and % is %25',
      ]);
    },
  );

  test.each([
    'postgres://me:a%2Fb@db:5432/site',
    'postgres:///site?host=/run/postgresql',
    'postgres://me:a@/site?host=/x',
  ])('takes DATABASE_URL=%s', (DATABASE_URL) => expect(readEnv({ DATABASE_URL }).databaseUrl).toBe(DATABASE_URL));

  test('keeps backups away from what they copy, and from what is scanned', () => {
    expect(readEnv({}).backupFolder).toBeUndefined();
    expect(readEnv({ BACKUP_DIR: 'backups', DATA_DIR: 'backup' }).backupFolder).toBe(`${process.cwd()}/backups`);
    for (const BACKUP_DIR of ['/data', '/data/backups'])
      expect(refusalOf({ BACKUP_DIR, DATA_DIR: '/data' }).problems).toEqual([
        'BACKUP_DIR has to lie outside of DATA_DIR',
      ]);
    expect(refusalOf({ BACKUP_DIR: '/films/b', LIBRARY_DIRS: '/clips:/films' }).problems).toEqual([
      'BACKUP_DIR has to lie outside of LIBRARY_DIRS',
    ]);
  });

  test.each<Record<string, string>>([
    { DATA_DIR: '~/fourfold' },
    { LIBRARY_DIRS: '/films:~/Videos' },
    { BROWSE_ROOTS: '~' },
    { BACKUP_DIR: '~anna/backups' },
    { TLS_CERT_FILE: '/cert.pem', TLS_KEY_FILE: '~/key.pem' },
  ])('refuses the ~ that only a shell understands, as in %j', (variables) => {
    const [name] = Object.entries(variables).find(([, value]) => value.includes('~')) ?? [];
    expect(refusalOf(variables).problems).toEqual([
      `${name} has to be without '~', which only a shell understands: write the whole path`,
    ]);
  });

  test('does not repeat what it refuses: it may be a password', () => {
    expect(refusalOf({ DATABASE_URL: 'mysql://me:s3cret@x' }).message).not.toContain('s3cret');
  });

  test('takes the analytics service whole or not at all', () => {
    expect(refusalOf({ ANALYTICS_MEASUREMENT_ID: 'site' }).problems).toEqual([
      'ANALYTICS_MEASUREMENT_ID and ANALYTICS_ENDPOINT have to be set together',
    ]);
  });
});

describe('sign-in with others', () => {
  const github = { GITHUB_CLIENT_ID: 'id', GITHUB_CLIENT_SECRET: 'secret' };
  const openId = { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'id', OIDC_CLIENT_SECRET: 'secret' };
  const publicUrl = { PUBLIC_URL: 'https://videos.example.org/' };

  test('takes each provider whole, and the address that people come back to', () => {
    const { providers, publicOrigin } = readEnv({ ...github, ...openId, ...publicUrl });
    expect(publicOrigin).toBe('https://videos.example.org');
    expect(providers.github).toEqual({ clientId: 'id', clientSecret: 'secret' });
    expect(providers.oidc).toEqual({
      issuer: 'https://id.example',
      displayName: 'Single sign-on',
      clientId: 'id',
      clientSecret: 'secret',
    });
    expect([providers.google, providers.discord]).toEqual([null, null]);
  });

  test.each([
    [github, 'PUBLIC_URL has to be set'],
    [{ GITHUB_CLIENT_ID: 'id', ...publicUrl }, 'GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET'],
    [{ OIDC_ISSUER: 'https://id.example', ...publicUrl }, 'OIDC_ISSUER and OIDC_CLIENT_ID'],
    [{ ...openId, ...publicUrl, OIDC_ISSUER: 'http://id.example' }, 'OIDC_ISSUER has to be an https address'],
    [{ REQUEST_ACCESS_URL: 'https://chat.example' }, 'REQUEST_ACCESS_PLATFORM'],
    [{ PUBLIC_URL: 'videos.example.org' }, 'PUBLIC_URL has to be an http or https address'],
    [{ PUBLIC_URL: 'https://example.org/videos' }, 'PUBLIC_URL has to be without a path'],
    [{ BILLING: 'free' }, "BILLING has to be 'open' or 'closed'"],
    [{ UPLOAD_QUOTA_GB: '0' }, 'UPLOAD_QUOTA_GB has to be more than 0'],
    [{ UPLOAD_QUOTA_GB: 'much' }, 'UPLOAD_QUOTA_GB has to be a number of gigabytes'],
    [{ UPLOADS: 'nobody' }, "UPLOADS has to be 'everyone', 'approval' or 'admins'"],
  ])('is refused with %j', (variables: Record<string, string>, problem) => {
    expect(refusalOf(variables).message).toContain(problem);
  });
});

describe('what delivers videos', () => {
  const store = { STORAGE_URL: 's3://id@s3.example/films', STORAGE_SECRET: 'secret', DERIVED_GB: '1' };
  const near = { ...store, STORAGE_URL: 's3://id@127.0.0.1/films?tls=off' };
  const signed = { DELIVERY_SIGNING: 'nginx', DELIVERY_KEY: 'key' };
  const plain = { ...store, ...signed, DELIVERY: 'http://media.example' };

  test('is the server, the store, or a network with the key of its addresses', () => {
    expect(readEnv(store).delivery).toEqual({ kind: 'server' });
    expect(readEnv({ ...near, DELIVERY: 'store', PUBLIC_URL: 'http://nas' }).delivery).toEqual({ kind: 'store' });
    const network = { kind: 'network', origin: 'https://media.example', signing: 'nginx', key: 'key' };
    expect(readEnv({ ...store, ...signed, DELIVERY: 'https://media.example/' }).delivery).toEqual(network);
    expect(readEnv(plain).delivery).toMatchObject({ origin: 'http://media.example' });
  });

  test.each([
    [{ DELIVERY: 'store' }, 'DELIVERY needs a store'],
    [{ ...store, STORAGE_URL: 'bunny://zone@host', DELIVERY: 'store' }, 'DELIVERY=store needs a store that speaks S3'],
    [{ ...store, DELIVERY: 'media.example' }, "DELIVERY has to be 'server', 'store' or an address without a path"],
    [{ ...store, ...signed, DELIVERY: 'https://media.example/films' }, 'an address without a path'],
    [{ ...store, DELIVERY: 'https://media.example', DELIVERY_KEY: 'k' }, 'DELIVERY_SIGNING and DELIVERY_KEY have to'],
    [{ ...store, ...signed, DELIVERY: 'store' }, 'DELIVERY_SIGNING and DELIVERY_KEY go with an address in DELIVERY'],
    [{ ...store, DELIVERY_SIGNING: 'akamai' }, "DELIVERY_SIGNING has to be 'bunny' or 'nginx'"],
    [{ ...plain, PUBLIC_URL: 'https://site.example' }, 'DELIVERY has to be an https address, as the site has one'],
    [{ ...plain, TLS: 'local' }, 'DELIVERY has to be an https address'],
    [{ ...near, DELIVERY: 'store', PUBLIC_URL: 'https://site.example' }, 'DELIVERY=store needs a store with https'],
  ])('is refused with %j', (variables: Record<string, string>, problem) => {
    expect(refusalOf(variables).message).toContain(problem);
  });
});

describe('.env.example', () => {
  test('names every variable and no other', () => {
    expect(Object.keys(exampleVariables).sort()).toEqual(Object.keys(envSchema.shape).sort());
  });

  test('has the values that hold without it', () => {
    const { given: _, ...values } = readEnv(exampleVariables);
    expect(readEnv({})).toEqual({ ...values, given: {} });
  });
});

function refusalOf(variables: Record<string, string>): EnvRefused {
  try {
    readEnv(variables);
  } catch (error) {
    if (error instanceof EnvRefused) return error;
  }
  throw new Error('Nothing was refused.');
}
