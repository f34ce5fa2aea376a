import type { ReactNode } from 'react';
import { Component } from 'react';
import { Button } from '../ui/button.tsx';
import { Logo } from '../ui/logo.tsx';
import styles from './error-boundary.module.css';

interface Props {
  onReload: () => void;
  children: ReactNode;
}

/** Catches what throws while rendering, and offers to reload. */
export class ErrorBoundary extends Component<Props, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <main className={styles.page}>
        <Logo className={styles.logo} />
        <div role="alert">
          <h1>Fourfold has stopped</h1>
          <p>Something in this page failed. Reload to go on.</p>
        </div>
        <Button ref={focus} label="Reload" onPress={this.props.onReload} />
      </main>
    );
  }
}

/** Focused at once, for keys and remotes. */
function focus(button: HTMLButtonElement | null): void {
  button?.focus();
}
