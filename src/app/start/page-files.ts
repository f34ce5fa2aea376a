/** Templates of the page, each with the links of files that come after the first frames (`vite.config.ts`). */
type PageFiles = 'engine-files' | 'view-files';

/** Fetches them without running them. They move out of their template, so that a second call does nothing. */
export function fetchPageFiles(name: PageFiles): void {
  const files = document.getElementById(name);
  if (files instanceof HTMLTemplateElement) document.head.append(files.content);
}
