import type { CSSProperties } from 'react';
import { useState } from 'react';
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
