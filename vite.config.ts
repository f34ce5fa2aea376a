import { readFileSync } from 'node:fs';
import react from '@vitejs/plugin-react';
import { VitePWA } from 'vite-plugin-pwa';
import { defineConfig } from 'vitest/config';

/** The oldest engines the product promises: TVs of 2021, iOS 15, Firefox ESR of the same years. */
const engineFloor = ['chrome79', 'edge79', 'firefox91', 'safari15'];

const manifest = JSON.parse(readFileSync(new URL('manifest.webmanifest', import.meta.url), 'utf8'));

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
