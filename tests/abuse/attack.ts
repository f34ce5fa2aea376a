import type { RandomBelow } from '#server/ids.ts';
import type { Target } from './target.ts';

export type DatabaseKind = 'sqlite' | 'postgres';

/** What the operator of the attacked product has set (`settings.ts`). */
export type Setting = 'home' | 'proxied' | 'secure';

/**
 * What went wrong: an answer that is not the promised one, a lost write, a told secret, a process that ended, or a cost
 * beyond its goal.
 */
export interface Finding {
  kind: 'answer' | 'loss' | 'leak' | 'life' | 'cost';
  what: string;
}

/** How much an attack may do. */
export interface Budget {
  /** The form that is part of `npm test`: answers, loss and life, no costs. */
  isShort: boolean;
  /** Of the two numbers the one for this form. */
  count(short: number, long: number): number;
}

export interface Attack {
  name: string;
  databases: readonly DatabaseKind[];
  /** Where the short form tries it, too. */
  short: readonly DatabaseKind[];
  setting: Setting;
  /** It ends the process itself: picks may fail meanwhile. */
  endsProduct?: boolean;
  /** How many times as long as on the idle product picks may take beside it; 5 where it is not given. */
  maxOfIdle?: number;
  run(target: Target, random: RandomBelow, budget: Budget): Promise<Finding[]>;
}

export const bothDatabases: readonly DatabaseKind[] = ['sqlite', 'postgres'];
