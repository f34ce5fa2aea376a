import styles from './tabs.module.css';

interface Props<Tab> {
  /** What the tabs are of, for screen readers. */
  label: string;
  tabs: readonly Tab[];
  /** The name of the open one. */
  current: string;
  onChoose: (tab: Tab) => void;
}

/** Pages that belong together, in one row, which scrolls where it is longer than the screen. */
export function Tabs<Tab extends { readonly name: string; readonly title: string }>({
  label,
  tabs,
  current,
  onChoose,
}: Props<Tab>) {
  return (
    <nav className={styles.tabs} aria-label={label}>
      <ul className={styles.row}>
        {tabs.map((tab) => (
          <li key={tab.name} className={styles.place}>
            <button
              type="button"
              className={styles.tab}
              aria-current={tab.name === current ? 'page' : undefined}
              data-focus-first={tab.name === current || undefined}
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
