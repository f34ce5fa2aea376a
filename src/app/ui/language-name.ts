/** The English name of a language, by its tag of BCP 47; the tag itself where the engine knows no names (Chromium 80). */
export function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames(['en'], { type: 'language' }).of(tag) ?? tag;
  } catch {
    // No names, or no tag.
    return tag;
  }
}
