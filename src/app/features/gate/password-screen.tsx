import { Logo } from '#app/ui/logo.tsx';
import styles from './password-screen.module.css';

/** Replaces everything while the site is closed to this browser. */
export default function PasswordScreen() {
  return (
    <main className={styles.page}>
      <div className={styles.column}>
        <Logo className={styles.logo} />
        <h1>This site is private</h1>
        <p>This part is being built.</p>
      </div>
    </main>
  );
}
