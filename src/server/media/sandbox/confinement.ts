/**
 * What stands before a program so that it has no network at all, not even to its own machine; empty where nothing does.
 */
export type NetworkIsolation = readonly string[];

/**
 * What keeps a program from the rest of the machine. With `landlock` and `bubblewrap` it sees its own files and its
 * input, has no sockets and reaches no other process; with `none` it may do what this server may, but for a network
 * where `isolation` takes it away.
 */
export type Confinement = { kind: 'landlock' } | { kind: 'bubblewrap' } | { kind: 'none'; isolation: NetworkIsolation };

export interface ConfinedProgram {
  /** Absolute. */
  program: string;
  args: readonly string[];
  /** Further files and folders that it may read and execute: its libraries. */
  executable: readonly string[];
  /** Its working folder, absolute: it may write here. */
  folder: string;
  hasInput: boolean;
  /** Where `landlock` confines it, it gets only the processor time that nobody else wants. */
  whenIdle?: boolean;
  /** Device files that it may use, with all their controls, and what of the system describes them. */
  devices?: readonly string[];
}
