import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '#scripts/build-stamp.ts';

/** What `.container/compose.yaml` says of the service `fourfold`, in the one form in which it is written there. */
export class ComposeFile {
  readonly text = readFileSync(join(projectFolder, '.container', 'compose.yaml'), 'utf8');
  private readonly service = /\n {2}fourfold:\n((?: {4}.*\n| *\n)*)/.exec(this.text)?.[1] ?? '';

  /** `key: value` */
  value(key: string): string | undefined {
    return new RegExp(`^ {4}${key}: (.*)$`, 'm').exec(this.service)?.[1];
  }

  /** `key: [one, other]`, or one entry a line */
  list(key: string): string[] {
    const [, inline] = /^\[(.*)\]$/.exec(this.value(key) ?? '') ?? [];
    if (inline !== undefined) return inline.split(',').map((entry) => entry.trim());
    return this.lines(key).map((line) => line.replace(/^- /, ''));
  }

  /** The names and values below a key. */
  map(key: string): Record<string, string> {
    return Object.fromEntries(this.lines(key).map((line) => line.split(/: (.*)/).slice(0, 2)));
  }

  private lines(key: string): string[] {
    const [, below = ''] = new RegExp(`^ {4}${key}:\\n((?: {6}.*\\n)*)`, 'm').exec(this.service) ?? [];
    return below
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  }
}
