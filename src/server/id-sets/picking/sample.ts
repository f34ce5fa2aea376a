import type { RandomBelow } from '../../ids.ts';

/** A set of numbers in ascending order. */
export interface NumberSet {
  readonly size: number;
  has(number: number): boolean;
  /** The number at a place, counted from 0. */
  select(rank: number): number;
}

/** What is drawn from: numbers in any set of `any`, in every set of `all`, in no set of `none`. */
export interface Pool<S extends NumberSet = NumberSet> {
  any: readonly S[];
  all: readonly S[];
  none: readonly S[];
}

const maxTries = 64;

/**
 * Draws from a pool without computing it: a place in one of `any`, each set as likely as it is large, then the
 * conditions. A number in several of them counts only where the first one has it, so all numbers of the pool that are
 * not excluded are equally likely.
 * @returns null when 64 places in a row were refused
 */
export function sample(pool: Pool, exclude: readonly number[], randomBelow: RandomBelow): number | null {
  const places = pool.any.reduce((sum, set) => sum + set.size, 0);
  if (places === 0) return null;
  for (let tries = 0; tries < maxTries; tries += 1) {
    const number = numberAt(pool.any, randomBelow(places));
    if (number !== null && isWanted(pool, number) && !exclude.includes(number)) return number;
  }
  return null;
}

/** Draws one of a set's numbers; an excluded one only when there is no other. Null from an empty set. */
export function draw(set: NumberSet, exclude: readonly number[], randomBelow: RandomBelow): number | null {
  if (set.size === 0) return null;
  // A large set always has a number that is not excluded, and a try finds it faster than the ranks of the excluded
  // ones.
  const tries = set.size > exclude.length ? maxTries : 0;
  for (let tried = 0; tried < tries; tried += 1) {
    const number = set.select(randomBelow(set.size));
    if (!exclude.includes(number)) return number;
  }
  return drawBetween(set, exclude, randomBelow);
}

/** The same by counting: the rank among what is left is moved on by each excluded number that stands before it. */
function drawBetween(set: NumberSet, exclude: readonly number[], randomBelow: RandomBelow): number {
  const refused = [...new Set(exclude)].filter((number) => set.has(number)).sort((a, b) => a - b);
  const left = set.size - refused.length;
  if (left === 0) return set.select(randomBelow(set.size));
  let rank = randomBelow(left);
  for (const number of refused) {
    if (number <= set.select(rank)) rank += 1;
  }
  return set.select(rank);
}

/** Null where an earlier set has the number too. */
function numberAt(sets: readonly NumberSet[], place: number): number | null {
  let rank = place;
  for (const [index, set] of sets.entries()) {
    if (rank >= set.size) {
      rank -= set.size;
      continue;
    }
    const number = set.select(rank);
    return sets.some((earlier, other) => other < index && earlier.has(number)) ? null : number;
  }
  return null;
}

export function isInPool(pool: Pool, number: number): boolean {
  return pool.any.some((set) => set.has(number)) && isWanted(pool, number);
}

function isWanted({ all, none }: Pool, number: number): boolean {
  return all.every((set) => set.has(number)) && !none.some((set) => set.has(number));
}
