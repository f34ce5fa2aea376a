import styles from './badge.module.css';

interface Props {
  words: string;
  /** The class for another colour of words and frame. */
  colour?: string | undefined;
}

/** A mark of one thing among others, as 'This device'. */
export function Badge({ words, colour }: Props) {
  return (
    <span className={colour === undefined ? styles.badge : `${styles.badge} ${styles.coloured} ${colour}`}>
      {words}
    </span>
  );
}
