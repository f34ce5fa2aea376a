import { globSync } from 'node:fs';
import { relative, sep } from 'node:path';
import type { Plugin } from 'vite';
import { projectFolder } from './build-stamp.ts';

/**
 * Gives the classes and animations of style modules short names. The default ones hold a name and a hash, which add
 * 1 KiB to the first files.
 */
export function shortenClassNames(): Plugin {
  const sheets = globSync('src/app/**/*.module.css', { cwd: projectFolder }).map(withSlashes);
  const nameClass = createNames(sheets);
  return {
    name: 'shorten-class-names',
    apply: 'build',
    config: () => ({
      css: {
        modules: {
          generateScopedName: (name, file) => nameClass(withSlashes(relative(projectFolder, file)), name),
        },
      },
    }),
  };
}

const withSlashes = (path: string) => path.split(sep).join('/');

/**
 * Creates a function that names the classes of style sheets: two letters stand for the sheet, and a number for the
 * class. The underscore before them keeps the name from being a word, such as those that blockers of ads hide. The
 * order in which the sheets are built changes no name.
 * @param sheets the paths of all style sheets
 */
export function createNames(sheets: readonly string[]): (sheet: string, name: string) => string {
  const classesOf = new Map([...sheets].sort().map((sheet) => [sheet, [] as string[]]));
  const order = [...classesOf.keys()];
  return (sheet, name) => {
    const classes = classesOf.get(sheet);
    if (!classes) throw new Error(`The style sheet ${sheet} is not among those of the app.`);
    if (!classes.includes(name)) classes.push(name);
    return `_${lettersOf(order.indexOf(sheet))}${classes.indexOf(name).toString(36)}`;
  };
}

/** The two letters of a number below 676. */
function lettersOf(number: number): string {
  const letter = (at: number) => String.fromCharCode('a'.charCodeAt(0) + at);
  return letter(Math.floor(number / 26)) + letter(number % 26);
}
