import { limits } from '#contract/limits.ts';

/** Pixels of a scrolled box. */
export interface ScrollFacts {
  scrollTop: number;
  clientHeight: number;
  scrollHeight: number;
}

/** Within 10 px of the end counts as the end (§2 EULA modal). */
export function isReadToEnd({ scrollTop, clientHeight, scrollHeight }: ScrollFacts): boolean {
  return scrollHeight - clientHeight - scrollTop <= limits.eulaScrollTolerancePx;
}

export function canAccept(facts: { isReadToEnd: boolean; isTicked: boolean }): boolean {
  return facts.isReadToEnd && facts.isTicked;
}

export function checkEulaVersion(version: string): string | null {
  return version === limits.eulaVersion ? null : 'This version of the EULA is not known';
}
