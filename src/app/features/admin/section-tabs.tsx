import styles from './section-tabs.module.css';
import type { AdminSection } from './sections.tsx';
import { sections } from './sections.tsx';

interface Props {
  current: AdminSection;
  onChoose: (section: AdminSection) => void;
}

/** The sections of Administration in one row, which scrolls where it is longer than the screen. */
export function SectionTabs({ current, onChoose }: Props) {
  return (
    <nav className={styles.tabs} aria-label="Sections">
      <ul className={styles.row}>
        {sections.map((section) => (
          <li key={section.name} className={styles.place}>
            <button
              type="button"
              className={styles.tab}
              aria-current={section === current ? 'page' : undefined}
              data-focus-first={section === current || undefined}
              onClick={() => onChoose(section)}
            >
              {section.title}
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}
