import styles from './figures.module.css';

export interface Figure {
  label: string;
  value: string;
  /** Its threshold is crossed. */
  isBad?: boolean;
}

/** Measured figures, one a line. */
export function Figures({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl className={styles.figures}>
      {figures.map(({ label, value, isBad = false }) => (
        <div key={label} className={styles.figure}>
          <dt className={styles.label}>{label}</dt>
          <dd className={isBad ? `${styles.value} ${styles.bad}` : styles.value}>
            {isBad && <span className="visually-hidden">Out of range: </span>}
            {value}
          </dd>
        </div>
      ))}
    </dl>
  );
}
