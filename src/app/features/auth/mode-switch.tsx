import styles from './mode-switch.module.css';

interface Props {
  isRegistering: boolean;
  onSwitch: () => void;
}

/** Switches between sign-in and registration. */
export function ModeSwitch({ isRegistering, onSwitch }: Props) {
  return (
    <p className={styles.line}>
      {isRegistering ? 'Already have an account?' : 'New here?'}
      <button type="button" className={styles.link} onClick={onSwitch}>
        {isRegistering ? 'Sign In' : 'Create Account'}
      </button>
    </p>
  );
}
