import type { Plugin } from 'vite';

const chartLibrary = /\/uplot\/dist\/uPlot\.esm\.js$/;
const formatter = "new Intl.NumberFormat(domEnv ? nav.language : 'en-US')";

/**
 * Lets uPlot load in every browser: as its module is run, it makes a formatter for `navigator.language`, which throws
 * where that is no language tag. Chromium in the locale C says `en-US@posix`. Its own axes, which use the formatter,
 * are off.
 */
export function fixChartLocale(): Plugin {
  return {
    name: 'fix-chart-locale',
    apply: 'build',
    transform: (code, id) => (chartLibrary.test(id) ? { code: dropLanguage(code), map: null } : null),
  };
}

/** @throws where the library does it in another way */
export function dropLanguage(code: string): string {
  if (!code.includes(formatter))
    throw new Error('uPlot formats numbers in another way: see whether it still needs this.');
  return code.replace(formatter, 'new Intl.NumberFormat()');
}
