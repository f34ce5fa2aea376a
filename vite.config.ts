import { readFileSync } from 'node:fs';
import react from '@vitejs/plugin-react';
import type { Plugin } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import { defineConfig } from 'vitest/config';

/** The oldest engines the product promises: TVs of 2021, iOS 15, Firefox ESR of the same years. */
const engineFloor = ['chrome79', 'edge79', 'firefox91', 'safari15'];

const manifest = JSON.parse(readFileSync(new URL('manifest.webmanifest', import.meta.url), 'utf8'));

/** The views come by an import of their own, after the first calls are out; the page names their files, so that they are fetched side by side with the engine. */
function preloadViews(): Plugin {
  return {
    name: 'preload-views',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle }) => {
        const chunks = Object.values(bundle ?? {}).filter((file) => file.type === 'chunk');
        const views = chunks.find((chunk) => chunk.facadeModuleId?.endsWith('/src/app/draw-app.tsx'));
        if (!views) throw new Error('The build made no chunk of the views.');
        const entries = new Set(chunks.filter((chunk) => chunk.isEntry).map((chunk) => chunk.fileName));
        const scripts = [views.fileName, ...views.imports].filter((file) => !entries.has(file));
        const link = (rel: string, file: string) => ({
          tag: 'link',
          attrs: { rel, crossorigin: true, fetchpriority: 'low', href: `/${file}` },
          injectTo: 'head' as const,
        });
        return [...[...(views.viteMetadata?.importedCss ?? [])].map((file) => link('stylesheet', file)), ...scripts.map((file) => link('modulepreload', file))];
      },
    },
  };
}

const floor = (name: string, include: string[], environment: 'node' | 'happy-dom' = 'node') => ({
  extends: true as const,
  test: { name, include, environment },
});

const serverFloor = (database: 'sqlite' | 'postgres') => ({
  extends: true as const,
  test: {
    name: `server-${database}`,
    include: ['tests/server/**/*.test.ts'],
    globalSetup: `tests/support/${database}.setup.ts`,
    testTimeout: 15_000,
    hookTimeout: 60_000,
  },
});

export default defineConfig({
  plugins: [
    react(),
    preloadViews(),
    VitePWA({
      strategies: 'injectManifest',
      srcDir: 'sw',
      filename: 'sw.ts',
      registerType: 'prompt',
      injectRegister: false,
      manifest,
      injectManifest: {
        target: 'chrome79',
        rollupFormat: 'iife',
        globPatterns: ['**/*.{js,css,html,woff2,svg}', 'icons/icon-*.png'],
      },
    }),
  ],
  build: {
    outDir: '.build/app',
    target: engineFloor,
    cssTarget: engineFloor,
    modulePreload: { polyfill: false },
    manifest: true,
    // React changes with React alone: a new version of the app leaves its file as it is.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// }] } } },
  },
  server: { port: 4401, proxy: { '/api': 'http://localhost:4400', '/auth': 'http://localhost:4400', '/users': 'http://localhost:4400' } },
  test: {
    projects: [
      floor('unit', ['tests/unit/**/*.test.ts']),
      floor('ui', ['tests/ui/**/*.test.tsx', 'tests/ui/**/*.test.ts'], 'happy-dom'),
      serverFloor('sqlite'),
      serverFloor('postgres'),
    ],
  },
});
