import { useSnapshot } from 'valtio';
import { proxy } from 'valtio/vanilla';
import { subscribeKey } from 'valtio/vanilla/utils';
import { onUserChange } from '#app/state/session.ts';
import { settings } from '#app/state/settings.ts';
import { siteConfig } from '#app/state/site-config.ts';
import { watchedForgotten } from '#app/state/watched-log.ts';
import { limits } from '#contract/limits.ts';
import { notices } from '#contract/notices.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { TagFilter } from '#contract/rules/tag-filter.ts';
import { joinIds } from '#contract/rules/tag-filter.ts';
import { after } from '#device/timers.ts';
import { feed } from './feed-state.ts';
import type { FeedVideo } from './quadrant/quadrant.ts';
import styles from './rounds.module.css';

/** One pass through all videos of a filter. */
interface Round {
  /** The number of videos that match. */
  matching: number;
  /** The number of videos that were left at the last pick, its own video among them. */
  unseen: number;
  /** How many have not come to the screen yet. */
  left: number;
  /** The round before has just ended. */
  isNew: boolean;
}

/**
 * At most so many are on screen, prepared, or on their way to either. A round that begins while more
 * are left was not seen to its end here: another device has, or what was watched was forgotten.
 */
const underWay = quadrants.length * 3;

/** The rounds of the filters that quadrants have had, by filter. */
const rounds = proxy<{ of: Record<string, Round> }>({ of: {} });

/** Videos whose coming to the screen was counted: they come again on skip back. */
let counted = new WeakSet<FeedVideo>();

/** Counts what comes to the screen of the feed. Returns a function that stops it. */
export function watchRounds(): () => void {
  for (const quadrant of quadrants) count(quadrant);
  const stops = [
    watchedForgotten.listen(forgetRounds),
    onUserChange(forgetRounds),
    ...quadrants.map((quadrant) => subscribeKey(feed.quadrants[quadrant], 'shown', () => count(quadrant))),
  ];
  return () => {
    for (const stop of stops) stop();
    forgetRounds();
  };
}

function forgetRounds(): void {
  rounds.of = {};
  counted = new WeakSet();
}

function count(quadrant: Quadrant): void {
  const { shown, filter } = feed.quadrants[quadrant];
  if (!shown || counted.has(shown)) return;
  counted.add(shown);
  const { matching, unseen } = shown;
  if (unseen === undefined) return;
  const key = keyOf(filter);
  const known = rounds.of[key];
  const isSame = known?.matching === matching;
  const begins = isSame && unseen === matching && unseen > known.unseen;
  const isNew = begins && known.left <= underWay;
  const isGoingOn = isSame && !begins && unseen <= known.left + underWay;
  const before = isGoingOn ? Math.min(unseen, known.left) : unseen;
  const wasNew = isSame && known.isNew;
  rounds.of[key] = { matching, unseen, left: Math.max(0, before - 1), isNew: isNew || wasNew };
  if (isNew && !wasNew) after(limits.roundNoticeSeconds * 1000, () => endNews(key));
}

function endNews(key: string): void {
  const round = rounds.of[key];
  if (round) round.isNew = false;
}

function keyOf(filter: TagFilter | null): string {
  return filter ? `${filter.mode} ${joinIds([...filter.tagIds].sort())}` : '';
}

/** How far the rounds of these quadrants are; nothing while their draws are independent. */
export function RoundLines({ of }: { of: readonly Quadrant[] }) {
  const states = useSnapshot(feed).quadrants;
  const known = useSnapshot(rounds).of;
  const { shuffle } = useSnapshot(settings);
  const { remembersWatched } = useSnapshot(siteConfig);
  const keys = [...new Set(of.map((quadrant) => keyOf(states[quadrant].filter)))];
  if (shuffle === 'random' || !remembersWatched) return null;
  const shown = keys.flatMap((key) => (known[key] ? { key, ...known[key] } : []));
  const [fresh, others] = [shown.filter(({ isNew }) => isNew), shown.filter(({ isNew }) => !isNew)];
  return (
    <div className={styles.lines}>
      <div aria-live="polite">
        {fresh.map(({ key, matching }) => (
          <p key={key}>{notices.roundBegins(matching)}</p>
        ))}
      </div>
      {others.map(({ key, left, matching }) => (
        <p key={key}>{`${countText(left)} of ${countText(matching)} not shown yet`}</p>
      ))}
    </div>
  );
}

/** Formats without `Intl.NumberFormat`, whose creation would block the first views for 20 ms. */
const countText = (count: number) => count.toLocaleString('en');
