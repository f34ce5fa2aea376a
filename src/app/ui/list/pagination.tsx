import { ChevronLeft, ChevronRight, ChevronsLeft, ChevronsRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { limits } from '#contract/limits.ts';
import { clampPage, hasQuickJump } from '#contract/rules/pages.ts';
import { Button } from '../button.tsx';
import { IconButton } from '../icon-button.tsx';
import { PageJump } from './page-jump.tsx';
import { PageNumbers } from './page-numbers.tsx';
import styles from './pagination.module.css';

interface Props {
  page: number;
  lastPage: number;
  onGo: (page: number) => void;
  /** Previous and Next with 'Page x of y', or numbers with a quick jump and a field to go to a page. */
  kind?: 'plain' | 'numbered';
  /** Beside it: 'Showing 20 of 83 tags'. */
  note?: ReactNode;
}

/** The way through the pages of a list; nothing when there is one page only (§2 Tag Management, Video Tagging). */
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

/** By ten pages, above 20 pages (§9). */
function QuickJump({ page, lastPage, onGo }: PagesProps) {
  const step = limits.quickJumpPages;
  const jump = (by: number) => onGo(clampPage(page + by, lastPage));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
    <div className={styles.jump} role="group" aria-label="Quick jump">
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
