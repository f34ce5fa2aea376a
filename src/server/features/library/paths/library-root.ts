/** A folder whose videos are served. */
export interface LibraryRoot {
  number: number;
  /** Stands in front of paths when there are several roots; never changes. */
  name: string;
  /** Absolute. */
  folder: string;
  /** `uploads`: what people have sent; its files are the server's own, and are never looked for. */
  kind: 'folder' | 'demo' | 'uploads';
}

/** A root as the configuration wants it. */
export type WantedRoot = Omit<LibraryRoot, 'number'>;

/** The last part of the folder's path, made different from the names that are taken. */
export function nameRoot(folder: string, taken: ReadonlySet<string>): string {
  const base = folder.split('/').filter(Boolean).at(-1) ?? 'library';
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? base : `${base}-${count}`;
    if (!taken.has(name)) return name;
  }
}
