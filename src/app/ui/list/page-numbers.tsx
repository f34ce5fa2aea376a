import { pageMarks } from '#contract/rules/pages.ts';
import styles from './page-numbers.module.css';

interface Props {
  page: number;
  lastPage: number;
  onGo: (page: number) => void;
}

/** All numbers up to 7 pages, else first, last and the current one ±2 (§9). On phones only the current one. */
export function PageNumbers({ page, lastPage, onGo }: Props) {
  return (
    <ol className={styles.numbers}>
      {pageMarks(page, lastPage).map((mark, at) =>
        mark === 'ellipsis' ? (
          <li key={at === 1 ? 'before' : 'after'} className={styles.gap} aria-hidden="true">
            …
          </li>
        ) : (
          <li key={mark}>
            <button
              type="button"
              className={styles.number}
              aria-label={`Page ${mark}`}
              aria-current={mark === page ? 'page' : undefined}
              onClick={() => onGo(mark)}
            >
              {mark}
            </button>
          </li>
        ),
      )}
    </ol>
  );
}
