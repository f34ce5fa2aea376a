/**
 * What a run of a site on several nodes has left: calls with their answers, faults, events that the database has
 * recorded, and what is there at the end. All instants are epoch milliseconds of one monotonic clock.
 */
export interface History {
  calls: readonly Call[];
  faults: readonly Fault[];
  processes: readonly NodeProcess[];
  events: readonly DatabaseEvent[];
  /** What was sent, by the id of its upload file. */
  uploads: ReadonlyMap<string, SentFile>;
  final: FinalState;
}

/**
 * `done`: a success was answered. `refused`: the answer says that nothing was done. `unknown`: no answer has come, or
 * one of a failure, after which the call may have happened or may happen still.
 */
export type Outcome = 'done' | 'refused' | 'unknown';

interface Asked {
  /** The node that has answered; null if none has. */
  node: string | null;
  begin: number;
  /** The latest instant at which it may have happened: Infinity without an answer. */
  end: number;
  /** When the answer came, or when it was waited for no longer. */
  heard: number;
  outcome: Outcome;
}

/** A call that makes a change, or reads one. `video` is the id of a video, `file` that of an upload file. */
export type Call = Asked &
  (
    | { kind: 'link'; video: string; tag: string; isOn: boolean }
    | { kind: 'read-links'; video: string; tags: readonly string[] }
    | { kind: 'send'; file: string; offset: number }
    | { kind: 'read-offset'; file: string; offset: number }
    | { kind: 'complete'; file: string; video: string | null }
    | { kind: 'delete'; file: string }
    | { kind: 'restore'; file: string }
    | { kind: 'merge'; tag: string; into: string }
    | { kind: 'pick'; video: string | null }
    | { kind: 'sign-in'; session: string | null }
    | { kind: 'sign-out'; session: string }
    | { kind: 'read-session'; session: string; isAccepted: boolean }
  );

export type CallOf<Kind extends Call['kind']> = Extract<Call, { kind: Kind }>;

export interface Fault {
  node: string;
  kind: 'kill' | 'freeze' | 'restart' | 'cut-database' | 'cut-store';
  begin: number;
  end: number;
}

/** One process of a node; a node has one after the other. */
export interface NodeProcess {
  node: string;
  /** The name of its connections to the database. */
  name: string;
  begin: number;
  /** Infinity while it runs. */
  end: number;
  /** It has ended although nobody has ended it. */
  hasFailed: boolean;
}

/**
 * What triggers in the database have recorded, in the order of `number`. `grant`: a process has got or renewed a
 * lease. `act`: it has done what only the holder of the lease does. `job-end`: a job has come to an end.
 */
export interface DatabaseEvent {
  number: number;
  at: number;
  kind: 'grant' | 'act' | 'job-end';
  /** The name of the process. */
  process: string;
  /** The name of the lease, or the id of the job. */
  subject: string;
}

export interface SentFile {
  filename: string;
  /** SHA-256 of its bytes. */
  sum: string;
  /** The tags that it gets when it becomes a video. */
  tags: readonly string[];
}

/** What lies in the database and in the store when all nodes have stopped. */
export interface FinalState {
  videos: readonly FinalVideo[];
  removed: readonly FinalVideo[];
  /** Upload files that have become a video, with the id of the video. */
  completed: ReadonlyMap<string, string>;
  /** Upload files that are still being received. */
  receiving: ReadonlySet<string>;
  objects: readonly { file: string; sum: string }[];
  sessions: ReadonlySet<string>;
  activeTags: ReadonlySet<string>;
  /** How often each kind of activity was recorded for a subject, by `kind subject`. */
  activities: ReadonlyMap<string, number>;
  /** Jobs that have not ended. */
  activeJobs: readonly string[];
}

export interface FinalVideo {
  id: string;
  /** The upload file that its bytes are of; null for a video of the library. */
  file: string | null;
  tags: readonly string[];
}
