import type { Plugin } from 'vite';

const chartLibrary = /\/uplot\/dist\/uPlot\.esm\.js$/;
const formatter = "new Intl.NumberFormat(domEnv ? nav.language : 'en-US')";

/**
 * Lets uPlot load in every browser. Its module creates a number formatter for `navigator.language`, which throws if
 * that is not a valid language tag (`en-US@posix` in Chromium with the locale C). Only uPlot's own axes use the
 * formatter, and the app's charts turn these off.
 */
export function fixChartLocale(): Plugin {
  return {
    name: 'fix-chart-locale',
    apply: 'build',
    transform: (code, id) => (chartLibrary.test(id) ? { code: dropLanguage(code), map: null } : null),
  };
}

/** @throws if this version of the library creates its formatter in another way */
export function dropLanguage(code: string): string {
  if (!code.includes(formatter))
    throw new Error('uPlot formats numbers in another way: see whether it still needs this.');
  return code.replace(formatter, 'new Intl.NumberFormat()');
}
