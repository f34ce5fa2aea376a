import type { ReactNode, Ref } from 'react';
import { Button } from './button.tsx';
import { LogoOutline } from './glyphs.tsx';
import styles from './page.module.css';

interface Props {
  title: string;
  /** Notices about the whole app, under the title. */
  notice: ReactNode;
  ref?: Ref<HTMLElement>;
  /** Tabs of related pages, above the title. */
  tabs?: ReactNode;
  /** Shown next to the title. */
  mark?: ReactNode;
  /** A line under the title. */
  lead?: ReactNode;
  /** Shown at the end of the title line. */
  end?: ReactNode;
  children: ReactNode;
}

/** A view with its title, in the width of text and cards. */
export function Page({ title, notice, ref, tabs, mark, lead, end, children }: Props) {
  return (
    <main ref={ref} className={styles.page}>
      <div className={styles.width}>
        {tabs}
        <div className={styles.head}>
          <div className={styles.names}>
            {mark ? (
              <div className={styles.marked}>
                <h1>{title}</h1>
                {mark}
              </div>
            ) : (
              <h1>{title}</h1>
            )}
            {lead && <p className={styles.lead}>{lead}</p>}
          </div>
          {end}
        </div>
        {notice && <div className={styles.notice}>{notice}</div>}
        {children}
      </div>
    </main>
  );
}

interface TabsProps<Tab> {
  /** Name of the tabs, for screen readers. */
  label: string;
  tabs: readonly Tab[];
  /** The name of the open tab. */
  current: string;
  /** Key and remote focus starts on the open tab. */
  isStart?: boolean;
  onChoose: (tab: Tab) => void;
}

/** Related pages as a row of tabs, which scrolls when it is wider than the screen. */
export function Tabs<Tab extends { readonly name: string; readonly title: string }>({
  label,
  tabs,
  current,
  isStart = true,
  onChoose,
}: TabsProps<Tab>) {
  return (
    <nav className={styles.tabs} aria-label={label}>
      <ul className={styles.row}>
        {tabs.map((tab) => (
          <li key={tab.name} className={styles.place}>
            <button
              type="button"
              className={styles.tab}
              aria-current={tab.name === current ? 'page' : undefined}
              data-focus-first={(isStart && tab.name === current) || undefined}
              onClick={() => onChoose(tab)}
            >
              {tab.title}
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}

interface EmptyPartProps {
  heading?: string;
  sentence?: string;
  action?: { label: string; onPress: () => void };
}

/** The reason why a list is empty, and how to fill it. */
export function EmptyPart({ heading, sentence, action }: EmptyPartProps) {
  return (
    <div className={styles.empty}>
      <LogoOutline className={styles.art} />
      {heading !== undefined && <h2>{heading}</h2>}
      {sentence !== undefined && <p className={styles.sentence}>{sentence}</p>}
      {action && <Button kind="line" label={action.label} onPress={action.onPress} />}
    </div>
  );
}
