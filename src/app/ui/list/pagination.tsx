import { ChevronLeft, ChevronRight, ChevronsLeft, ChevronsRight } from 'lucide-react';
import type { FormEvent, ReactNode } from 'react';
import { useId, useState } from 'react';
import { limits } from '#contract/limits.ts';
import { clampPage, hasQuickJump, pageMarks, readPageJump } from '#contract/rules/pages.ts';
import { Button, IconButton } from '../button.tsx';
import styles from './pagination.module.css';

interface Props {
  page: number;
  lastPage: number;
  onGo: (page: number) => void;
  /**
   * `plain`: Previous and Next with 'Page x of y'. `numbered`: page numbers, a quick jump and a
   * page field.
   */
  kind?: 'plain' | 'numbered';
  /** A text next to the buttons: 'Showing 20 of 83 tags'. */
  note?: ReactNode;
}

/** The pagination of a list; it is hidden for a single page (§2 Tag Management, Video Tagging). */
export function Pagination({ kind = 'plain', note, ...pages }: Props) {
  if (pages.lastPage <= 1) return null;
  const Pages = kind === 'plain' ? PlainPages : NumberedPages;
  return (
    <nav className={styles.pagination} aria-label="Pages" data-focus-region>
      {note && <p className={styles.note}>{note}</p>}
      <Pages {...pages} />
    </nav>
  );
}

type PagesProps = Pick<Props, 'page' | 'lastPage' | 'onGo'>;

function PlainPages({ page, lastPage, onGo }: PagesProps) {
  return (
    <div className={styles.plain}>
      <Button kind="line" label="Previous" isDisabled={page <= 1} onPress={() => onGo(page - 1)} />
      <p role="status">{`Page ${page} of ${lastPage}`}</p>
      <Button kind="line" label="Next" isDisabled={page >= lastPage} onPress={() => onGo(page + 1)} />
    </div>
  );
}

function NumberedPages({ page, lastPage, onGo }: PagesProps) {
  const isFirst = page <= 1;
  const isLast = page >= lastPage;
  return (
    <>
      {hasQuickJump(lastPage) && <QuickJump page={page} lastPage={lastPage} onGo={onGo} />}
      <div className={styles.numbered}>
        <IconButton
          label="First page"
          icon={<ChevronsLeft aria-hidden="true" />}
          isDisabled={isFirst}
          onPress={() => onGo(1)}
        />
        <IconButton
          label="Previous page"
          icon={<ChevronLeft aria-hidden="true" />}
          isDisabled={isFirst}
          onPress={() => onGo(page - 1)}
        />
        <PageNumbers page={page} lastPage={lastPage} onGo={onGo} />
        <IconButton
          label="Next page"
          icon={<ChevronRight aria-hidden="true" />}
          isDisabled={isLast}
          onPress={() => onGo(page + 1)}
        />
        <IconButton
          label="Last page"
          icon={<ChevronsRight aria-hidden="true" />}
          isDisabled={isLast}
          onPress={() => onGo(lastPage)}
        />
      </div>
      <PageJump page={page} lastPage={lastPage} onGo={onGo} />
      <p role="status" className="visually-hidden">{`Page ${page} of ${lastPage}`}</p>
    </>
  );
}

/** Jumps by ten pages, above 20 pages (§9). */
function QuickJump({ page, lastPage, onGo }: PagesProps) {
  const step = limits.quickJumpPages;
  const jump = (by: number) => onGo(clampPage(page + by, lastPage));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
    <div className={styles.paginationJump} role="group" aria-label="Quick jump">
      <span className={styles.words} aria-hidden="true">
        Quick jump
      </span>
      <Button
        kind="quiet"
        label={`-${step}`}
        name={`-${step} pages`}
        isDisabled={page <= 1}
        onPress={() => jump(-step)}
      />
      <Button
        kind="quiet"
        label={`+${step}`}
        name={`+${step} pages`}
        isDisabled={page >= lastPage}
        onPress={() => jump(step)}
      />
    </div>
  );
}

interface PageChoiceProps {
  page: number;
  lastPage: number;
  onGo: (page: number) => void;
}

/**
 * All numbers up to 7 pages, otherwise the first, the last and the current one ±2 (§9). On phones
 * only the current one.
 */
function PageNumbers({ page, lastPage, onGo }: PageChoiceProps) {
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

/**
 * A field to go to a page by its number. An invalid number clears the field, and so does any change
 * of the page (§4 Tagging, §5 Page jump).
 */
function PageJump({ page, lastPage, onGo }: PageChoiceProps) {
  const id = useId();
  const [typed, setTyped] = useState({ page, text: '' });
  const text = typed.page === page ? typed.text : '';
  const setText = (next: string) => setTyped({ page, text: next });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const asked = readPageJump(text, lastPage);
    setText('');
    if (asked !== null) onGo(asked);
  };
  return (
    <form className={styles.jump} noValidate onSubmit={submit}>
      <label htmlFor={id} className={styles.label}>
        Go to <span className="visually-hidden">page</span>
      </label>
      <input
        id={id}
        className={styles.input}
        inputMode="numeric"
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </form>
  );
}
