/** The English name of a language, by its tag of BCP 47; the tag itself where the engine knows no names (Chromium 80). */
export function languageName(tag: string): string {
  if (!('DisplayNames' in Intl)) return tag;
  try {
    return new Intl.DisplayNames(['en'], { type: 'language' }).of(tag) ?? tag;
  } catch {
    // It is no tag at all.
    return tag;
  }
}
