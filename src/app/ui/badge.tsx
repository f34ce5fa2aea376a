import type { CSSProperties } from 'react';
import { useState } from 'react';
import type { User } from '#contract/entities/user.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { tierBadges } from '#contract/rules/plans.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import styles from './badge.module.css';

interface Props {
  words: string;
  /** A class for another colour of text and border. */
  colour?: string | undefined;
}

/** A label that marks one item among others, such as 'This device'. */
export function Badge({ words, colour }: Props) {
  return (
    <span className={colour === undefined ? styles.badge : `${styles.badge} ${styles.coloured} ${colour}`}>
      {words}
    </span>
  );
}

/** The effective tier, by name and colour. */
export function TierBadge({ tier, words }: { tier: Tier; words: string }) {
  return <Badge words={words} colour={tierColours[tier]} />;
}

/** Classes for text in the colour of its tier. */
export const tierColours: Readonly<Record<Tier, string | undefined>> = {
  basic: styles.basic,
  pro: styles.pro,
  lifetime: styles.lifetime,
  admin: styles.admin,
};

/** The colour of a channel (`#RRGGBB`), shown before its name. */
export function Swatch({ color }: { color: string }) {
  return <span className={styles.swatch} style={{ '--tag': color } as CSSProperties} />;
}

interface AvatarProps {
  url: string | null | undefined;
  /** The first letter of the name, in place of a picture that is missing or does not load. */
  initial: string;
  className: string | undefined;
}

/** The picture of a person. Screen readers skip it, because the name stands beside it. */
export function Avatar({ url, initial, className }: AvatarProps) {
  const [failed, setFailed] = useState<string | null>(null);
  if (url && url !== failed) return <img className={className} src={url} alt="" onError={() => setFailed(url)} />;
  return (
    <span className={className} aria-hidden="true">
      {initial}
    </span>
  );
}

/**
 * Four small squares, one of them filled in the quadrant's colour. Its position identifies the
 * quadrant without colour vision.
 */
export function QuadrantGlyph({ quadrant, className }: { quadrant: Quadrant; className?: string | undefined }) {
  return (
    <svg className={`${styles.glyph} ${className ?? ''}`} viewBox="0 0 20 20" data-colour={quadrant} aria-hidden="true">
      {quadrants.map((one, at) => (
        <rect
          key={one}
          className={one === quadrant ? styles.on : ''}
          x={at % 2 === 0 ? 1 : 11}
          y={at < 2 ? 1 : 11}
          width="8"
          height="8"
          rx="1"
        />
      ))}
    </svg>
  );
}

/** The tier for the menu's foot; `tier` selects its colour. */
export function tierBadgeOf(user: Pick<User, 'effective_tier'> | null): { tier: Tier; words: string } {
  return user
    ? { tier: user.effective_tier, words: tierBadges[user.effective_tier] }
    : { tier: 'basic', words: 'Basic Tier' };
}
