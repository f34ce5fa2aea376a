import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../database/connection.ts';
import type { Env } from '../env.ts';
import type { Ids } from '../ids.ts';
import type { Log } from '../log.ts';
import type { Repetition } from '../repeat.ts';
import { repeat } from '../repeat.ts';
import { compareNodes, NodeRefused } from './harm.ts';
import type { KnownNode, NodeFacts, NodeState } from './node-repository.ts';
import { nodeRepository } from './node-repository.ts';
import { describeProcess, isProcessRunning } from './own-process.ts';

interface NodesDeps {
  /** Read when it is needed: administrators change the folders of the library. */
  env: Pick<
    Env,
    'dataFolder' | 'libraryFolders' | 'libraryStores' | 'servesFolders' | 'store' | 'role' | 'port' | 'tls'
  >;
  database: Pick<Database, 'reader' | 'write' | 'dialect'>;
  log: Log;
  ids: Pick<Ids, 'long'>;
  id: string;
  version: string;
}

/** The facts that a node learns from its services. */
interface NodeSources {
  /** The kinds of jobs that it runs at the moment. */
  listKinds(): readonly string[];
  /** The folders of the library that it cannot read, or in which it sees nothing. */
  findAway(): Promise<readonly string[]>;
}

const beatMs = 5_000;
/** A node that was not seen for this long is gone, in milliseconds. */
export const goneMs = 20_000;
/** A node that was not seen for this long is forgotten, in milliseconds. */
const forgottenMs = 24 * 3_600_000;
const harmLookMs = 500;
const filesName = 'node-files';

/**
 * The servers that share the database, this one among them. PostgreSQL may have many, each seen
 * every five seconds. SQLite has the processes of one machine, which are looked for instead: a row
 * that is written again and again would keep a disk awake.
 */
export class Nodes {
  private readonly deps: NodesDeps;
  private readonly self = describeProcess();
  private readonly harmListeners = new Set<(refused: NodeRefused) => void>();
  private readonly stallListeners = new Set<() => void>();
  private readonly drainListeners = new Set<() => void>();
  private sources: NodeSources = { listKinds: () => [], findAway: async () => [] };
  private state: NodeState = 'starting';
  private port: number;
  private files = '';
  private away: readonly string[] = [];
  private hasStalled = false;
  private others: readonly KnownNode[] = [];
  private written = '';
  private timer: Repetition | null = null;
  private beating: Promise<void> = Promise.resolve();

  constructor(deps: NodesDeps) {
    this.deps = deps;
    this.port = deps.env.port;
  }

  /**
   * Checks whether this server may run beside those that do. Nothing is written to the database.
   * @param breaking migrations that it is going to apply, and that older versions do not survive
   * @throws NodeRefused if it would do harm to one that is seen to run
   */
  async check(breaking: readonly string[] = []): Promise<void> {
    this.files = await this.readFilesNumber();
    const first = await this.findHarm(breaking);
    const seen = new Map(first.map(({ node }) => [node.id, node.seenAt]));
    // A process of this machine is known to run. Any other one counts once it is seen again.
    const isSure = ({ node }: Harm) =>
      isProcessRunning(node.process) === true || (seen.has(node.id) && node.seenAt !== seen.get(node.id));
    if (first.length > 0)
      this.deps.log.warn(
        'another server ran here a moment ago, with other settings; whether it still runs is waited for',
      );
    for (let harms = first; harms.length > 0; harms = await this.findHarm(breaking)) {
      const sure = harms.filter(isSure);
      if (sure.length > 0) throw new NodeRefused(harms.flatMap(({ words }) => words));
      await pause(harmLookMs);
    }
  }

  /**
   * Takes this server among the nodes of the site.
   * @throws NodeRefused
   */
  async join(): Promise<void> {
    await this.check();
    const { database } = this.deps;
    await database.write(async (transaction) => {
      // The lock makes the second of two that start at once see the first.
      await nodeRepository.hold(transaction, database.dialect);
      const nodes = await nodeRepository.list(transaction, database.dialect);
      await nodeRepository.remove(
        transaction,
        nodes.filter((node) => this.isDead(node)).map(({ id }) => id),
      );
      await nodeRepository.removeLostLeases(transaction);
      const harms = nodes.filter((node) => this.isLive(node)).flatMap((node) => this.compare(node));
      if (harms.length > 0) throw new NodeRefused(harms.flatMap(({ words }) => words));
      await nodeRepository.put(transaction, database.dialect, this.facts());
    });
    await this.look();
    const onFault = (err: unknown) => this.deps.log.warn({ err }, 'this server cannot tell the others that it runs');
    this.timer = repeat(() => this.beat(), beatMs, onFault);
  }

  /** Tells the others what this node can do, now that its services are there. */
  async begin(sources: NodeSources): Promise<void> {
    this.sources = sources;
    if (this.state === 'starting') this.state = 'ready';
    await this.beat();
  }

  /** Tells the others at once that what they compare has changed: a node that begins is refused otherwise. */
  tellOfChange(): Promise<void> {
    return this.beat();
  }

  /** Tells the others on which port this node listens, by which people know it. */
  async listensOn(port: number): Promise<void> {
    this.port = port;
    await this.beat();
  }

  /** Tells the others that this node leaves. */
  async drain(): Promise<void> {
    this.state = 'draining';
    await this.beat();
  }

  /** Called when this server was away while one began that it would harm. */
  onHarm(listener: (refused: NodeRefused) => void): void {
    this.harmListeners.add(listener);
  }

  /** Called while players of other nodes on this machine report stalls. */
  onStall(listener: () => void): void {
    this.stallListeners.add(listener);
  }

  /** Called once when somebody asks this node to leave. */
  onDrain(listener: () => void): void {
    this.drainListeners.add(listener);
  }

  get isReady(): boolean {
    return this.state === 'ready';
  }

  get isDraining(): boolean {
    return this.state === 'draining';
  }

  /** The folders of the library that this node could not read at its last look, or saw empty. */
  get awayFolders(): readonly string[] {
    return this.away;
  }

  /** The other nodes that run, as of the last look. */
  live(): readonly KnownNode[] {
    return this.others;
  }

  /** Whether any other node does jobs of a kind. */
  runs(kind: string): boolean {
    return this.others.some(({ kinds }) => kinds.includes(kind));
  }

  /** Players of this node report a stall. */
  noteStall(): void {
    this.hasStalled = true;
  }

  async stop(): Promise<void> {
    this.timer?.stop();
    await this.beating.catch(() => {});
    const { database, id } = this.deps;
    await database.write((transaction) => nodeRepository.remove(transaction, [id])).catch(() => {});
  }

  /** One after the other. */
  private beat(): Promise<void> {
    const turn = this.beating.then(() => this.beatOnce());
    this.beating = turn.catch(() => {});
    return turn;
  }

  private async beatOnce(): Promise<void> {
    const { database, id } = this.deps;
    // The servers of SQLite are on one machine, and see the same folders.
    this.away = this.isOnSqlite ? [] : await this.sources.findAway();
    const own = (await this.look()).find((node) => node.id === id);
    // It was frozen or cut off, and another one may have begun in the meantime.
    if (own === undefined || (own.silentMs > goneMs && !this.isOnSqlite)) this.tellOfHarm();
    const facts = this.facts();
    const text = JSON.stringify(facts);
    if (!this.isOnSqlite || text !== this.written || own === undefined)
      await database.write((transaction) => nodeRepository.put(transaction, database.dialect, facts));
    this.written = text;
    this.hasStalled = false;
    if (this.others.some((node) => this.isStalledBeside(node))) for (const listener of this.stallListeners) listener();
    if (own?.isAskedToDrain === true && this.state !== 'draining')
      for (const listener of this.drainListeners) listener();
  }

  private isStalledBeside({ machine, stalledMs }: KnownNode): boolean {
    return machine === this.self.machine && stalledMs !== null && stalledMs <= beatMs;
  }

  private tellOfHarm(): void {
    const harms = this.others.flatMap((node) => this.compare(node));
    if (harms.length === 0) return;
    const refused = new NodeRefused(harms.flatMap(({ words }) => words));
    for (const listener of this.harmListeners) listener(refused);
  }

  /** Reads which nodes run, and removes those that do not. @returns all of them */
  private async look(): Promise<KnownNode[]> {
    const { database, id } = this.deps;
    const nodes = await nodeRepository.list(database.reader, database.dialect);
    this.others = nodes.filter((node) => node.id !== id && this.isLive(node));
    const dead = nodes.filter((node) => node.id !== id && this.isDead(node)).map((node) => node.id);
    if (dead.length > 0) await database.write((transaction) => nodeRepository.remove(transaction, dead));
    return nodes;
  }

  private async findHarm(breaking: readonly string[]): Promise<Harm[]> {
    const { reader, dialect } = this.deps.database;
    const nodes = await nodeRepository.list(reader, dialect);
    return nodes.filter((node) => this.isLive(node)).flatMap((node) => this.compare(node, breaking));
  }

  private compare(node: KnownNode, breaking: readonly string[] = []): Harm[] {
    const words = compareNodes(this.facts(), node, this.deps.env.dataFolder);
    if (breaking.length > 0)
      words.push(
        `${node.name} (${node.version}): it does not survive what this version changes in the database (${breaking.join(', ')}). Stop all servers of older versions first.`,
      );
    return words.length === 0 ? [] : [{ node, words }];
  }

  private isLive({ process, silentMs }: KnownNode): boolean {
    const isRunning = isProcessRunning(process);
    return this.isOnSqlite ? isRunning === true : isRunning !== false && silentMs <= goneMs;
  }

  /** On SQLite, a process of an earlier boot or of another container is none of this machine's. */
  private isDead({ process, silentMs }: KnownNode): boolean {
    const isRunning = isProcessRunning(process);
    return this.isOnSqlite ? isRunning !== true : isRunning === false || (isRunning === null && silentMs > forgottenMs);
  }

  private get isOnSqlite(): boolean {
    return this.deps.database.dialect.kind === 'sqlite';
  }

  private facts(): NodeFacts {
    const { env, id, version } = this.deps;
    const { machine, text } = this.self;
    return {
      id,
      name: `${hostname()}:${this.port}`,
      machine,
      process: text,
      role: env.role,
      version,
      state: this.state,
      files: this.files,
      storage: env.store === null ? '' : placeOf(env.store.url),
      library: env.servesFolders ? listLibrary(env) : null,
      isTlsLocal: env.tls.kind === 'local',
      kinds: this.sources.listKinds(),
      away: this.away,
      hasStalled: this.hasStalled,
    };
  }

  /** The number of the folder that files lie in: the same for all nodes that share it. */
  private async readFilesNumber(): Promise<string> {
    const { env, ids } = this.deps;
    const file = join(env.dataFolder, filesName);
    await mkdir(env.dataFolder, { recursive: true });
    // The first server in a new folder gives it its number.
    await writeFile(file, `${ids.long()}\n`, { flag: 'wx' }).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    });
    return (await readFile(file, 'utf8')).trim();
  }
}

/** A conflict with another node, in sentences. */
interface Harm {
  node: KnownNode;
  words: string[];
}

/** The folders and stores of a library, a line each. */
function listLibrary({ libraryFolders, libraryStores }: NodesDeps['env']): string {
  return [...libraryFolders, ...libraryStores.map(({ url }) => placeOf(url))].sort().join('\n');
}

/** The address of a place in a store, without its key. */
function placeOf(address: string): string {
  const url = URL.parse(address);
  return url === null ? '' : `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, '')}`;
}
