import { linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FileCalls } from '#server/storage/disk-storage.ts';
import { systemFileCalls } from '#server/storage/disk-storage.ts';

/** What a name leads to. */
interface Node {
  isFolder: boolean;
  /** As the file was when it was last synced. */
  synced: Buffer;
  /** Another name of the file, by which it is found whatever becomes of the first; null for folders. */
  link: string | null;
}

/**
 * A folder of the local disk on which only what was synced outlives a power cut: the bytes of a file by the file's own
 * sync, its name, also a new one and that it is gone, by the sync of the folder. Real systems keep more of it at times.
 */
export class UnsyncedDisk {
  readonly calls: FileCalls;
  private readonly folder: string;
  private readonly links: string;
  private linkCount = 0;
  private readonly named = new Map<string, Node>();
  private readonly durable = new Map<string, Node>();
  private readonly opened = new WeakMap<FileHandle, { path: string; node: Node }>();

  /** @param folder everything below it behaves so */
  constructor(folder: string, calls: FileCalls = systemFileCalls) {
    this.folder = folder;
    this.links = mkdtempSync(`${folder}-links-`);
    this.calls = this.watch(calls);
  }

  /** Everything that was not synced is gone; the rest is as it was. */
  cutPower(): void {
    for (const name of readdirSync(this.folder)) rmSync(join(this.folder, name), { recursive: true });
    this.named.clear();
    const parentsFirst = [...this.durable].sort(([one], [other]) => (one < other ? -1 : 1));
    for (const [path, node] of parentsFirst) {
      const parent = dirname(path);
      if (parent === this.folder || this.named.has(parent)) this.named.set(path, this.restore(path, node));
    }
    this.durable.clear();
    for (const [path, node] of this.named) this.durable.set(path, node);
  }

  private restore(path: string, node: Node): Node {
    if (node.isFolder) mkdirSync(path);
    // The file itself, with its dates.
    else if (node.link !== null && readFileSync(node.link).equals(node.synced)) linkSync(node.link, path);
    else writeFileSync(path, node.synced);
    const link = node.link;
    // Of two names, both of which were synced, each is a file of its own.
    node.link = null;
    return { ...node, link };
  }

  private watch(calls: FileCalls): FileCalls {
    return {
      ...calls,
      makeFolder: async (folder) => {
        await calls.makeFolder(folder);
        for (let made = folder; made.length > this.folder.length; made = dirname(made))
          if (!this.named.has(made)) this.named.set(made, { isFolder: true, synced: Buffer.alloc(0), link: null });
      },
      open: async (file, flags) => {
        const handle = await calls.open(file, flags);
        const node = this.named.get(file) ?? this.nodeOf(file, (await handle.stat()).isDirectory());
        if (file !== this.folder && file.startsWith(this.folder)) this.named.set(file, node);
        this.opened.set(handle, { path: file, node });
        return handle;
      },
      sync: (handle) => this.sync(handle, calls),
      rename: async (from, to) => {
        await calls.rename(from, to);
        const node = this.named.get(from);
        this.named.delete(from);
        if (node !== undefined) this.named.set(to, node);
      },
      remove: async (file) => {
        await calls.remove(file);
        this.named.delete(file);
      },
    };
  }

  private nodeOf(file: string, isFolder: boolean): Node {
    const link = isFolder ? null : join(this.links, String(this.linkCount++));
    if (link !== null) linkSync(file, link);
    return { isFolder, synced: Buffer.alloc(0), link };
  }

  /** What is written while it runs may be left out. */
  private async sync(handle: FileHandle, calls: FileCalls): Promise<void> {
    const opened = this.opened.get(handle);
    const bytes = opened === undefined || opened.node.isFolder ? null : readFileSync(opened.path);
    const names = opened?.node.isFolder === true ? this.childrenOf(opened.path, this.named) : null;
    await calls.sync(handle);
    if (opened === undefined) return;
    if (bytes !== null) opened.node.synced = bytes;
    if (names === null) return;
    for (const path of this.childrenOf(opened.path, this.durable).keys()) this.durable.delete(path);
    for (const [path, node] of names) this.durable.set(path, node);
  }

  private childrenOf(folder: string, among: ReadonlyMap<string, Node>): Map<string, Node> {
    return new Map([...among].filter(([path]) => dirname(path) === folder));
  }
}
