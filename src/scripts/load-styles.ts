import type { Plugin } from 'vite';

/**
 * Builds lazy imports with a short helper that loads their style sheets. The one of Vite can also load scripts, and
 * would add 0.4 KiB to the first files.
 */
export function loadStyles(): Plugin {
  return {
    name: 'load-styles',
    apply: 'build',
    enforce: 'pre',
    load: { filter: { id: /^\0vite\/preload-helper\.js$/ }, handler: () => helper },
  };
}

/** A sheet that could not be loaded is requested again by the next import. */
const helper = `
const sheets = {};

function loadSheet(file) {
  const href = '/' + file;
  if (!sheets[href]) sheets[href] = document.querySelector('link[rel=stylesheet][href="' + href + '"]') || addSheet(href);
  return sheets[href];
}

function addSheet(href) {
  return new Promise((resolve, reject) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.crossOrigin = '';
    link.href = href;
    link.onload = resolve;
    link.onerror = () => {
      delete sheets[href];
      link.remove();
      reject(new Error('The style sheet ' + href + ' could not be loaded.'));
    };
    document.head.append(link);
  });
}

export const __vitePreload = (load, files = []) => Promise.all(files.map(loadSheet)).then(load);
`;
