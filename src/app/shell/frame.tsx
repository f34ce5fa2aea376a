import type { ReactNode } from 'react';
import { Component, Suspense, useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { controls } from '#app/features/feed/controls/controls-store.ts';
import { FeedScreen } from '#app/features/feed/feed-screen.tsx';
import { connection } from '../state/connection.ts';
import { closeDialog, closeMenu, navigation } from '../state/navigation.ts';
import { lazyPart } from '../ui/loading.tsx';
import type { FailureProps } from '../ui/messages.tsx';
import { useDerived } from '../ui/store-hooks.ts';

/** Everything except the feed. The first frames need none of it. */
const Shell = lazyPart(async () => (await import('./shell.tsx')).Shell, ShellNotLoaded);

/** The feed at once; the shell with the controls of the feed, or when something in it is needed. */
export function Frame() {
  const { view, dialog, isMenuOpen } = useSnapshot(navigation);
  const { isReachable } = useSnapshot(connection);
  const areControlsDue = useDerived(controls, () => controls.areDue);
  const isFeed = view === 'feed';
  const isShellDue = areControlsDue || !isFeed || isMenuOpen || dialog !== null || !isReachable;
  return (
    <>
      {isFeed && <FeedScreen />}
      <Suspense fallback={null}>{isShellDue && <Shell />}</Suspense>
    </>
  );
}

/** The feed plays without the shell: only what was opened over it is closed. */
function ShellNotLoaded() {
  const { view, dialog, isMenuOpen } = useSnapshot(navigation);
  useEffect(() => {
    if (dialog !== null) closeDialog();
    if (isMenuOpen) closeMenu();
  }, [dialog, isMenuOpen]);
  if (view === 'feed') return null;
  const sentence = 'This view could not be loaded.';
  return <Failure heading="Not loaded" sentence={sentence} onReload={reload} />;
}

function reload(): void {
  location.reload();
}

interface Props {
  onReload: () => void;
  children: ReactNode;
}

/** Catches rendering errors, and offers to reload. */
export class ErrorBoundary extends Component<Props, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <Failure
        heading="Fourfold has stopped"
        sentence="Something in this page failed. Reload to go on."
        onReload={this.props.onReload}
      />
    );
  }
}

/** A page of its own, plain until its file is there, and when the file cannot be loaded. */
function Failure(props: FailureProps) {
  return (
    <Suspense fallback={<PlainFailure {...props} />}>
      <FailurePage {...props} />
    </Suspense>
  );
}

const loadFailurePage = async () => (await import('../ui/messages.tsx')).FailurePage;
const FailurePage = lazyPart(loadFailurePage, PlainFailure);

function PlainFailure({ heading, sentence, onReload }: FailureProps) {
  return (
    <main role="alert">
      <h1>{heading}</h1>
      <p>{sentence}</p>
      {/* biome-ignore lint/a11y/noAutofocus: the only control on this page */}
      <button type="button" onClick={onReload} autoFocus>
        Reload
      </button>
    </main>
  );
}
