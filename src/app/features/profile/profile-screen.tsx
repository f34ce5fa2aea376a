import type { ReactNode, RefObject } from 'react';
import { useEffect, useRef } from 'react';
import { useSnapshot } from 'valtio';
import { recovered } from '#app/platform/http/recovery.ts';
import { currentScope, focusStart } from '#app/platform/input/focus-scopes.ts';
import { connection } from '#app/state/connection.ts';
import { may } from '#app/state/may.ts';
import { cancelVisit, loadMissingProviders, loadProviders } from '#app/state/providers.ts';
import { session } from '#app/state/session.ts';
import { Page } from '#app/ui/page.tsx';
import { AccountCard } from './account/account-card.tsx';
import { IdentityCard } from './account/identity-card.tsx';
import { AdministrationRows } from './administration-rows.tsx';
import { BlocklistCard } from './blocklist/blocklist-card.tsx';
import { FeaturesCard } from './features-card.tsx';
import { SignOutDialog } from './outbox/sign-out-dialog.tsx';
import { WaitingCard } from './outbox/waiting-card.tsx';
import styles from './profile-screen.module.css';
import { SettingsCard } from './settings/settings-card.tsx';
import { IdentitiesCard } from './sign-ins/identities-card.tsx';
import { identities, loadIdentities, resetIdentities } from './sign-ins/identities-store.ts';
import { SessionsCard } from './sign-ins/sessions-card.tsx';
import { loadSessions, resetSessions, sessions } from './sign-ins/sessions-store.ts';
import { UpdateNotice } from './update-notice.tsx';

interface Props {
  title: string;
  notice: ReactNode;
}

/** §2 Profile: account, features and settings. */
export function ProfileScreen({ title, notice }: Props) {
  const viewer = useSnapshot(session);
  const { phase, user } = viewer;
  useLists(user?.id ?? null);
  const notices = (
    <>
      {notice}
      <UpdateNotice />
    </>
  );
  return (
    <Page ref={useStartOnceKnown(phase)} title={title} notice={notices}>
      <div className={styles.grid}>
        {user && may('admin_panel', viewer) && (
          <div className={styles.administration}>
            <AdministrationRows />
          </div>
        )}
        <div className={styles.who}>
          <IdentityCard />
          {user && <AccountCard user={user} />}
          {user && <SessionsCard />}
          {user && <IdentitiesCard />}
          {user && <BlocklistCard key={user.id} />}
        </div>
        <div className={styles.what}>
          {user && <WaitingCard />}
          <FeaturesCard />
          <SettingsCard />
        </div>
      </div>
      {user && <SignOutDialog />}
    </Page>
  );
}

/** Loads the signed-in user's lists, and loads them again when the network is back. */
function useLists(userId: string | null): void {
  const { isReachable } = useSnapshot(connection);
  useEffect(() => (userId === null ? undefined : resetLists), [userId]);
  useEffect(() => {
    if (userId === null || !isReachable) return;
    void loadProviders();
    void loadSessions();
    void loadIdentities();
  }, [userId, isReachable]);
  useEffect(() => recovered.listen(loadMissing), []);
}

/** Loads again what failed although the network seemed to be there. */
function loadMissing(): void {
  void loadMissingProviders();
  if (sessions.hasFailed) void loadSessions();
  if (identities.hasFailed) void loadIdentities();
}

/** Where the focus starts depends on the session: it moves there once the session is known. */
function useStartOnceKnown(phase: typeof session.phase): RefObject<HTMLElement | null> {
  const main = useRef<HTMLElement>(null);
  const isWaiting = useRef(phase === 'loading');
  useEffect(() => {
    if (!isWaiting.current || phase === 'loading') return;
    isWaiting.current = false;
    if (main.current && currentScope() === document.body) focusStart(main.current);
  }, [phase]);
  return main;
}

function resetLists(): void {
  resetSessions();
  resetIdentities();
  cancelVisit();
}
