import { limits } from '#contract/limits.ts';
import { checkAliases, checkTagColor, checkTagDescription, checkTagName } from '#contract/rules/tags/tag.ts';
import { tagNameKey } from '../tags/tag-repository.ts';
import type { TagLine } from './formats/transfer-line.ts';

/** A tag that a file names and nobody has. */
export interface NewTag {
  name: string;
  description: string;
  color: string;
  aliases: readonly string[];
}

/** A tag that videos are to get: one that is there, by its row number, or a new one. */
export type TargetTag = { number: number } | { tag: NewTag };

/** The row number of a tag by its name or one of its other names, in the form of `tagNameKey`. */
export type FindTagNumber = (nameKey: string) => number | null;

interface Target {
  target: TargetTag;
  /** By row number. */
  videos: Set<number>;
}

/** What a file, or what stands beside the videos, would change: tags to be created, and the videos of each. */
export class TransferPlan {
  private readonly findTagNumber: FindTagNumber;
  private readonly targets = new Map<string, Target>();
  private readonly described = new Set<NewTag>();
  /** By the keys of all their names. */
  private readonly newTags = new Map<string, NewTag>();
  private created = 0;

  constructor(findTagNumber: FindTagNumber) {
    this.findTagNumber = findTagNumber;
  }

  /** What is there stays as it is: a line describes new tags alone. @returns why not, or null */
  describe(line: TagLine): string | null {
    const problem =
      checkTagName(line.name) ??
      (line.description === null ? null : checkTagDescription(line.description)) ??
      (line.color === null ? null : checkTagColor(line.color)) ??
      checkAliases(line.aliases) ??
      firstProblem(line.aliases, checkTagName);
    if (problem !== null) return problem;
    const found = this.targetOf(line.name);
    if (typeof found === 'string') return found;
    if ('tag' in found.target) this.complete(found.target.tag, line);
    return null;
  }

  /** @returns why the tag cannot be, or null */
  add(name: string, videoNumber: number): string | null {
    const found = this.targetOf(name);
    if (typeof found === 'string') return found;
    found.videos.add(videoNumber);
    return null;
  }

  /** Each tag once, with all its videos. */
  list(): Iterable<Readonly<Target>> {
    return this.targets.values();
  }

  countNewTags(): number {
    return this.created;
  }

  private targetOf(name: string): Target | string {
    const problem = checkTagName(name);
    if (problem !== null) return problem;
    const key = tagNameKey(name.trim());
    const number = this.findTagNumber(key);
    if (number !== null) return this.remember(`#${number}`, { number });
    const tag = this.newTags.get(key);
    if (tag !== undefined) return this.remember(keyOf(tag), { tag });
    if (this.created >= limits.importedTags) return `At most ${limits.importedTags} channels can be created at once`;
    const created = { name: name.trim(), description: '', color: limits.tagColor, aliases: [] };
    this.newTags.set(key, created);
    this.created += 1;
    return this.remember(keyOf(created), { tag: created });
  }

  private remember(key: string, target: TargetTag): Target {
    const known = this.targets.get(key);
    if (known !== undefined) return known;
    const added = { target, videos: new Set<number>() };
    this.targets.set(key, added);
    return added;
  }

  /** The first description counts. Names that somebody else has are left out. */
  private complete(tag: NewTag, line: TagLine): void {
    if (this.described.has(tag)) return;
    this.described.add(tag);
    const isFree = (alias: string) => {
      const key = tagNameKey(alias.trim());
      return this.findTagNumber(key) === null && !this.newTags.has(key);
    };
    const aliases = line.aliases.map((alias) => alias.trim()).filter(isFree);
    Object.assign(tag, { description: line.description?.trim() ?? '', color: line.color ?? limits.tagColor, aliases });
    for (const alias of aliases) this.newTags.set(tagNameKey(alias), tag);
  }
}

function keyOf(tag: NewTag): string {
  return tagNameKey(tag.name);
}

function firstProblem(texts: readonly string[], check: (text: string) => string | null): string | null {
  for (const text of texts) {
    const problem = check(text);
    if (problem !== null) return problem;
  }
  return null;
}
