import { Activity, ChevronRight, UsersRound } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ViewName } from '#app/state/navigation.ts';
import { openView } from '#app/state/navigation.ts';
import styles from './administration-rows.module.css';

/**
 * Rows for administrators. On phones Performance is the first, because the bottom bar has no room for it (§2 Profile).
 */
export function AdministrationRows() {
  return (
    <ul className={styles.rows}>
      <Way view="performance" icon={<Activity aria-hidden="true" />} label="Performance" className={styles.phoneOnly} />
      <Way view="admin" icon={<UsersRound aria-hidden="true" />} label="Administration" />
    </ul>
  );
}

function Way({
  view,
  icon,
  label,
  className,
}: {
  view: ViewName;
  icon: ReactNode;
  label: string;
  className?: string | undefined;
}) {
  return (
    <li className={className}>
      <button type="button" className={styles.way} onClick={() => openView(view)}>
        {icon}
        <span className={styles.label}>{label}</span>
        <ChevronRight aria-hidden="true" />
      </button>
    </li>
  );
}
