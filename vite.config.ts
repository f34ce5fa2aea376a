import { readFileSync } from 'node:fs';
import react from '@vitejs/plugin-react';
import type { HtmlTagDescriptor, Plugin } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import { defineConfig } from 'vitest/config';

/** The oldest engines the product promises: TVs of 2021, iOS 15, Firefox ESR of the same years. */
const engineFloor = ['chrome79', 'edge79', 'firefox91', 'safari15'];

const manifest = JSON.parse(readFileSync(new URL('manifest.webmanifest', import.meta.url), 'utf8'));

const engineTag = '<script async type="module"';

/**
 * The order in which a first visit gets its files. The engine runs before the first paint and asks for videos. The views come by an import of
 * their own after that; the page names their files, so that they are on their way meanwhile.
 */
function orderFirstFiles(): Plugin {
  return {
    name: 'order-first-files',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html, { bundle }) => {
        const chunks = Object.values(bundle ?? {}).filter((file) => file.type === 'chunk');
        const views = chunks.find((chunk) => chunk.facadeModuleId?.endsWith('/src/app/draw-app.tsx'));
        if (!views || !html.includes(engineTag)) throw new Error('The build made no engine, or no views.');
        const engine = chunks.find((chunk) => chunk.isEntry)?.fileName;
        const chunkOf = (file: string) => chunks.find((chunk) => chunk.fileName === file);
        const needed = (file: string): string[] => [file, ...(chunkOf(file)?.imports ?? []).flatMap(needed)];
        const files = [...new Set(needed(views.fileName))].filter((file) => file !== engine);
        const styles = files
          .flatMap((file) => [...(chunkOf(file)?.viteMetadata?.importedCss ?? [])])
          .map((file) => link({ rel: 'stylesheet', href: `/${file}` }));
        const scripts = files.map((file) => link({ rel: 'preload', as: 'script', href: `/${file}` }));
        return { html: html.replace(engineTag, '<script async blocking="render" fetchpriority="high" type="module"'), tags: [...styles, ...scripts] };
      },
    },
  };
}

function link(attributes: Record<string, string>): HtmlTagDescriptor {
  return { tag: 'link', attrs: { ...attributes, crossorigin: true, fetchpriority: 'low' }, injectTo: 'head' };
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
    orderFirstFiles(),
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
    // What every screen draws with is one file beside the feed's own.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'drawing', test: /node_modules\/(react|react-dom|scheduler)\/|src\/app\/ui\// }] } } },
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
