import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import type { MinifyOptions } from 'terser';
import type { HtmlTagDescriptor, Plugin, Rolldown } from 'vite';
import { build, loadEnv } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import { defineConfig } from 'vitest/config';
import { callFiles, callFolders } from './src/contract/server-paths.ts';
import { chunkGroups } from './src/scripts/chunk-groups.ts';
import { inlineLimits } from './src/scripts/inline-limits.ts';
import { drawLineIcons } from './src/scripts/line-icons.ts';
import { loadStyles } from './src/scripts/load-styles.ts';
import { LongestFirst } from './src/scripts/longest-first.ts';
import { listOnlineFiles } from './src/scripts/online-files.ts';
import { addIntegrity } from './src/scripts/precache-integrity.ts';
import { shortenClassNames } from './src/scripts/short-class-names.ts';
import { addStyleFallbacks } from './src/scripts/style-fallbacks.ts';

/** The oldest supported engines: TVs of 2021, iOS 15 and the Firefox ESR of these years. */
const engineFloor = ['chrome68', 'edge79', 'firefox91', 'safari15'];

const manifest = JSON.parse(readFileSync(new URL('manifest.webmanifest', import.meta.url), 'utf8'));

const { version: appVersion } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/** The server that `npm run dev` starts, which reads the same `.env`. */
const server = `http://localhost:${loadEnv('development', process.cwd(), 'PORT').PORT || 4400}`;

const titleTag = '<title>';

/**
 * Sets the order in which a first visit loads its files. The page itself requests videos and shows their first
 * frames. The engine's files come next, then those of the views. The page lists both in templates, which
 * `page-start.ts` and the engine insert into the document.
 */
function orderFirstFiles(): Plugin {
  return {
    name: 'order-first-files',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: async (html, { bundle }) => {
        const pageScript = await buildInline('src/app/start/page-script.ts');
        const chunks = Object.values(bundle ?? {}).filter((file) => file.type === 'chunk');
        const chunkOf = (file: string) => chunks.find((chunk) => chunk.fileName === file);
        const chunkFor = (module: string) => chunks.find((chunk) => chunk.moduleIds.some((id) => id.endsWith(module)));
        const engine = chunkFor('/src/app/engine.ts');
        const views = chunkFor('/src/app/draw-app.tsx');
        const saved = chunkFor('/src/app/features/feed/supply/saved-source.ts');
        if (!engine || !views || !saved) throw new Error('The build lacks the engine, the views or the saved videos.');
        const first = chunks.find((chunk) => chunk.isEntry)?.fileName;
        const needed = (file: string): string[] => [file, ...(chunkOf(file)?.imports ?? []).flatMap(needed)];
        const neededBeyond = ({ fileName }: Rolldown.OutputChunk, others: readonly (string | undefined)[]) =>
          [...new Set(needed(fileName))].filter((file) => !others.includes(file));
        const engineFiles = neededBeyond(engine, [first]);
        const scripts = neededBeyond(views, [first, ...engineFiles]);
        const savedFiles = neededBeyond(saved, [first, ...engineFiles]);
        const styles = scripts.flatMap((file) => [...(chunkOf(file)?.viteMetadata?.importedCss ?? [])]);
        const children = [
          ...styles.map((file) => preload(file, 'style')),
          ...scripts.map((file) => preload(file, 'script')),
        ];
        return {
          html: html
            .replaceAll(/\s*<!--.*?-->/gs, '')
            .replace(titleTag, () => `<script>${pageScript}</script>\n    ${titleTag}`),
          tags: [
            // The template must precede the script that reads it.
            template(
              'engine-files',
              engineFiles.map((file) => preload(file, 'script', 'high')),
              'head-prepend',
            ),
            template('view-files', children, 'head'),
            template(
              'saved-files',
              savedFiles.map((file) => preload(file, 'script', 'high')),
              'head-prepend',
            ),
          ],
        };
      },
    },
  };
}

/** The chunk of the first files that is worth the time: React's code gets hardly shorter. */
const minifiedChunks = ['engine'];

const minifyOptions = {
  ecma: 2017,
  compress: { passes: 2, booleans: false },
} satisfies MinifyOptions;

/** Minifies scripts once more after Vite, which shortens them by 3 %. */
function minifyFurther(): Plugin {
  return {
    name: 'minify-further',
    apply: 'build',
    // The file's name holds a hash of what this plugin is given.
    augmentChunkHash: ({ name }) => (minifiedChunks.includes(name) ? JSON.stringify(minifyOptions) : undefined),
    generateBundle: async (_, bundle) => {
      for (const file of Object.values(bundle))
        if (file.type === 'chunk' && minifiedChunks.includes(file.name))
          file.code = await minifyScript(file.code, true);
    },
  };
}

/** Loads the package late: tests read this configuration, too. */
async function minifyScript(code: string, module = false): Promise<string> {
  const { minify } = await import('terser');
  const minified = await minify(code, { ...minifyOptions, module });
  return minified.code ?? code;
}

/** Builds one script that contains all its imports. */
async function buildInline(entry: string): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    plugins: [inlineLimits()],
    build: { write: false, target: engineFloor, rolldownOptions: { input: entry, output: { format: 'iife' } } },
  });
  const [file] = (built as Rolldown.RolldownOutput).output;
  return (await minifyScript(file.code)).trim();
}

function template(id: string, children: HtmlTagDescriptor[], injectTo: 'head' | 'head-prepend'): HtmlTagDescriptor {
  return { tag: 'template', attrs: { id }, children, injectTo };
}

function preload(file: string, as: 'script' | 'style', fetchpriority = 'low'): HtmlTagDescriptor {
  return { tag: 'link', attrs: { rel: 'preload', as, href: `/${file}`, crossorigin: true, fetchpriority } };
}

/** The output folder of this build; a command may name another one than the default below. */
let builtFolder = '';

function noteBuiltFolder(): Plugin {
  return {
    name: 'note-built-folder',
    apply: 'build',
    configResolved: ({ root, build: { outDir } }) => {
      builtFolder = resolve(root, outDir);
    },
  };
}

/**
 * The app's stores are modules with state: each test file gets its own modules, in a worker that files share. A worker
 * for each file takes twice the time.
 */
const ownModules = { setupFiles: ['tests/support/own-modules.ts', 'tests/unit/app/own-locks.ts'] };

/** What is drawn leaves listeners in its document, so that each file needs a document of its own. */
const isolated = { isolate: true };

/** A test counts as hanging after this time. In `npm run soak` a single test may try hundreds of points. */
const hangMs = (process.env.SOAK === 'all' ? 30 : 15) * 60_000;

/** Tests that start programs or open connections, which take seconds each. */
const systemTests = ['tests/unit/server/media/**/*.test.ts', 'tests/unit/server/http/connections/**/*.test.ts'];

interface FloorOptions {
  exclude?: string[];
  setupFiles?: string[];
  isolate?: boolean;
  pool?: 'threads';
  environment?: 'happy-dom';
}

const floor = (name: string, include: string[], options: FloorOptions = {}) => ({
  extends: true as const,
  test: { name, include, ...options },
});

/**
 * PostgreSQL proves SQL. Files with the suffix `both` run on either database, those with `postgres` need a server of
 * PostgreSQL, and all others run on SQLite alone.
 */
const serverFiles = {
  sqlite: { include: ['tests/server/**/*.test.ts'], exclude: ['tests/server/**/*.postgres.test.ts'] },
  postgres: { include: ['tests/server/**/*.both.test.ts', 'tests/server/**/*.postgres.test.ts'] },
};

/** Node loads the server's modules as it does in production: without Vite's transformation and its module runner. */
const asTheServerRuns = { experimental: { viteModuleRunner: false, nodeLoader: false } };

const serverFloor = (database: 'sqlite' | 'postgres') => ({
  extends: true as const,
  test: {
    name: `server-${database}`,
    ...serverFiles[database],
    ...asTheServerRuns,
    globalSetup: `tests/support/database/${database}.setup.ts`,
  },
});

/** Tests behind real proxies, which are Debian packages. They are not part of `npm test`. */
const proxiesFloor = {
  extends: true as const,
  test: {
    name: 'proxies',
    include: ['tests/proxies/**/*.test.ts'],
    ...asTheServerRuns,
    globalSetup: 'tests/support/database/sqlite.setup.ts',
  },
};

export default defineConfig({
  plugins: [
    react(),
    inlineLimits(),
    drawLineIcons(),
    shortenClassNames(),
    loadStyles(),
    minifyFurther(),
    orderFirstFiles(),
    noteBuiltFolder(),
    VitePWA({
      strategies: 'injectManifest',
      srcDir: 'sw',
      filename: 'sw.ts',
      registerType: 'prompt',
      injectRegister: false,
      manifest,
      // `manifestTransforms` lists all files with their digests. Icons load with the network when the app is installed.
      includeManifestIcons: false,
      injectManifest: {
        target: 'chrome68',
        rollupFormat: 'iife',
        globPatterns: ['**/*.{js,css,html,woff2,svg}', 'manifest.webmanifest'],
        manifestTransforms: [
          async (entries) => {
            const left = await listOnlineFiles(builtFolder);
            return {
              manifest: await addIntegrity(
                builtFolder,
                entries.filter(({ url }) => !left.has(url)),
              ),
            };
          },
        ],
      },
    }),
  ],
  css: { postcss: { plugins: [addStyleFallbacks()] } },
  define: { 'import.meta.env.APP_VERSION': JSON.stringify(appVersion) },
  build: {
    outDir: '.build/app',
    target: engineFloor,
    cssTarget: engineFloor,
    modulePreload: {
      polyfill: false,
      // Lazy screens import their own scripts; listing these beforehand would add 1 KiB to the first files.
      resolveDependencies: (_, files, { hostType }) =>
        hostType === 'js' ? files.filter((file) => file.endsWith('.css')) : files,
    },
    manifest: true,
    rolldownOptions: {
      // The page's link to its worker is loaded later by the first files alone.
      checks: { ineffectiveDynamicImport: false },
      output: {
        codeSplitting: {
          groups: chunkGroups,
        },
      },
    },
  },
  server: {
    port: 4401,
    proxy: Object.fromEntries([...callFolders, ...callFiles].map((path) => [path, server])),
  },
  test: {
    // Tests of the server wait for a third of their time: for disks, other processes, and ends of promises.
    maxWorkers: 2 * availableParallelism(),
    sequence: { sequencer: LongestFirst },
    isolate: false,
    // These limits only end tests that hang. They assert nothing about speed, because a machine may be slow or busy.
    testTimeout: hangMs,
    hookTimeout: hangMs,
    expect: { poll: { timeout: 120_000 } },
    setupFiles: ['tests/support/patient-waits.ts'],
    projects: [
      floor('unit', ['tests/unit/!(app)/**/*.test.ts'], { exclude: systemTests }),
      floor('system', systemTests),
      // Threads start faster than processes, but rendering needs the larger stack of a process.
      floor('app', ['tests/unit/app/**/*.test.ts'], { ...ownModules, pool: 'threads' }),
      floor('ui', ['tests/ui/**/*.test.tsx', 'tests/ui/**/*.test.ts'], { ...isolated, environment: 'happy-dom' }),
      serverFloor('sqlite'),
      serverFloor('postgres'),
      proxiesFloor,
    ],
  },
});
