/** A library as curators change it, in plain sets: what the site has to agree with. Tags and videos by index. */
export class CuratedLibrary {
  readonly tags: { name: string; isActive: boolean; mergedInto: number | null; videos: Set<number> }[] = [];
  readonly changes: { kind: 'removal' | 'merge'; tag: number; into: number; added: Set<number>; isUndone: boolean }[] =
    [];
  /** Which tag, active or not, brought a name along as an alias. */
  private readonly aliases = new Map<string, number>();

  create(name: string): boolean {
    if (this.isTaken(name, [])) return false;
    this.aliases.delete(name);
    this.tags.push({ name, isActive: true, mergedInto: null, videos: new Set() });
    return true;
  }

  /** The active tag that one is by now; null: it was removed. */
  survivorOf(tag: number | null): number | null {
    const found = tag === null ? undefined : this.tags[tag];
    if (found === undefined) return null;
    return found.isActive ? tag : this.survivorOf(found.mergedInto);
  }

  put(tag: number, video: number): boolean {
    const survivor = this.survivorOf(tag);
    if (survivor === null) return false;
    this.videosOf(survivor).add(video);
    for (const { kind, into, added } of this.changes) if (kind === 'merge' && into === survivor) added.delete(video);
    return true;
  }

  /** A link that is there already is left as it is. @returns whether a tag was created for it */
  import(name: string, video: number): boolean {
    const named = this.tags.findIndex((tag) => tag.isActive && tag.name === name);
    const found = named === -1 ? this.survivorOf(this.aliases.get(name) ?? null) : named;
    const isNew = found === null && this.create(name);
    const tag = found ?? this.tags.length - 1;
    if (!this.videosOf(tag).has(video)) this.put(tag, video);
    return isNew;
  }

  take(tag: number, video: number): boolean {
    const survivor = this.survivorOf(tag);
    return survivor !== null && this.videosOf(survivor).delete(video);
  }

  alias(tag: number, name: string): boolean {
    if (!this.isActive(tag) || this.tags[tag]?.name === name || this.isTaken(name, [tag])) return false;
    if (this.survivorOf(this.aliases.get(name) ?? null) !== tag) this.aliases.set(name, tag);
    return true;
  }

  aliasesOf(tag: number): string[] {
    return [...this.aliases.keys()].filter((name) => this.survivorOf(this.aliases.get(name) ?? null) === tag).sort();
  }

  remove(tag: number): boolean {
    if (!this.isActive(tag)) return false;
    this.set(tag, false, null);
    this.changes.push({ kind: 'removal', tag, into: -1, added: new Set(), isUndone: false });
    return true;
  }

  merge(tag: number, into: number): boolean {
    if (tag === into || !this.isActive(tag) || !this.isActive(into)) return false;
    const added = new Set([...this.videosOf(tag)].filter((video) => !this.videosOf(into).has(video)));
    for (const video of added) this.videosOf(into).add(video);
    this.set(tag, false, into);
    this.aliases.set(this.tags[tag]?.name ?? '', tag);
    this.changes.push({ kind: 'merge', tag, into, added, isUndone: false });
    return true;
  }

  undo(number: number): boolean {
    const change = this.changes[number];
    const tag = change && this.tags[change.tag];
    if (change === undefined || tag === undefined || change.isUndone) return false;
    const survivor = this.survivorOf(change.tag);
    if (this.isTaken(tag.name, survivor === null ? [] : [survivor])) return false;
    this.aliases.delete(tag.name);
    this.set(change.tag, true, null);
    change.isUndone = true;
    if (change.kind === 'merge') for (const video of change.added) this.takeBack(change.into, video);
    return true;
  }

  private takeBack(tag: number, video: number): void {
    const other = this.changes.findLast(
      (change) =>
        change.kind === 'merge' && !change.isUndone && change.into === tag && this.videosOf(change.tag).has(video),
    );
    if (other === undefined) this.videosOf(tag).delete(video);
    else other.added.add(video);
  }

  private isTaken(name: string, own: readonly number[]): boolean {
    const named = this.tags.findIndex((tag) => tag.isActive && tag.name === name);
    const owner = this.survivorOf(this.aliases.get(name) ?? null);
    return [named, owner ?? -1].some((tag) => tag !== -1 && !own.includes(tag));
  }

  private isActive(tag: number): boolean {
    return this.tags[tag]?.isActive === true;
  }

  private videosOf(tag: number): Set<number> {
    return this.tags[tag]?.videos ?? new Set();
  }

  private set(tag: number, isActive: boolean, mergedInto: number | null): void {
    const found = this.tags[tag];
    if (found !== undefined) Object.assign(found, { isActive, mergedInto });
  }
}
