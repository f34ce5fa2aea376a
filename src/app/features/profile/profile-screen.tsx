import { Activity, Check, ChevronRight, MonitorDown, RefreshCw, Share, SquarePlus, UsersRound, X } from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import { useEffect, useRef, useState } from 'react';
import { useSnapshot } from 'valtio';
import { currentScope, focusStart } from '#app/platform/input/focus-scopes.ts';
import { currentForm } from '#app/platform/input/screen-form.ts';
import { recovered } from '#app/platform/link.ts';
import { acceptUpdate } from '#app/platform/worker-link.ts';
import { appUpdate } from '#app/state/app-update.ts';
import { connection } from '#app/state/connection.ts';
import { askToInstall, install, putOffInstall, watchInstall } from '#app/state/install.ts';
import { may } from '#app/state/may.ts';
import type { ViewName } from '#app/state/navigation.ts';
import { navigation, openDialog, openView } from '#app/state/navigation.ts';
import { cancelVisit, loadMissingProviders, loadProviders } from '#app/state/providers.ts';
import { session } from '#app/state/session.ts';
import { isAtRisk, uploads } from '#app/state/uploads/uploads-state.ts';
import { countReports, openReports } from '#app/state/video-sets.ts';
import { Button } from '#app/ui/button.tsx';
import { Card, SlashedText } from '#app/ui/card.tsx';
import { Banner } from '#app/ui/messages.tsx';
import { Modal } from '#app/ui/modal.tsx';
import { Page } from '#app/ui/page.tsx';
import { useBackLayer } from '#app/ui/store-hooks.ts';
import type { FeatureName } from '#contract/rules/tiers.ts';
import { defaultFeatures } from '#contract/rules/tiers.ts';
import { AccountCard, IdentityCard } from './account-card.tsx';
import { BlocklistCard } from './blocklist-card.tsx';
import { KeptCard } from './kept-card.tsx';
import styles from './profile-screen.module.css';
import { SettingsCard } from './settings-card.tsx';
import { IdentitiesCard, SessionsCard } from './sign-ins-cards.tsx';
import {
  identities,
  loadIdentities,
  loadSessions,
  resetIdentities,
  resetSessions,
  sessions,
} from './sign-ins-store.ts';
import { SignOutDialog } from './sign-out-dialog.tsx';
import { VenueCard } from './venue-card.tsx';
import { WaitingCard } from './waiting-card.tsx';

interface Props {
  title: string;
  notice: ReactNode;
}

/** §2 Profile: account, features and settings. */
export function ProfileScreen({ title, notice }: Props) {
  const viewer = useSnapshot(session);
  const { phase, user } = viewer;
  useLists(user?.id ?? null);
  const person = phase === 'loading' ? undefined : (user?.id ?? null);
  const notices = (
    <>
      {notice}
      <UpdateNotice />
      <InstallNotice />
    </>
  );
  return (
    <Page ref={useStartForEach(person)} title={title} notice={notices}>
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
          <KeptCard />
          <SettingsCard />
          <VenueCard />
        </div>
      </div>
      {user && <SignOutDialog key={user.id} />}
    </Page>
  );
}

/** Loads the signed-in user's lists, and loads them again after a reconnect. */
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

/** Loads the lists again that failed although the network seemed available. */
function loadMissing(): void {
  void loadMissingProviders();
  if (sessions.hasFailed) void loadSessions();
  if (identities.hasFailed) void loadIdentities();
}

/**
 * Moves the focus to the start once it is known who is here, and when somebody else is: the nearest
 * neighbour of a button that has gone may be one that deletes the account.
 * @param person an id; null for nobody, undefined while the session is loading
 */
function useStartForEach(person: string | null | undefined): RefObject<HTMLElement | null> {
  const main = useRef<HTMLElement>(null);
  const last = useRef(person);
  const { dialog } = useSnapshot(navigation);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the dialog that signs in holds the focus until it is closed
  useEffect(() => {
    if (person === undefined || person === last.current || currentScope() !== document.body) return;
    last.current = person;
    if (main.current) focusStart(main.current);
  }, [person, dialog]);
  return main;
}

function resetLists(): void {
  resetSessions();
  resetIdentities();
  cancelVisit();
}

/**
 * Offers to reload into a new version that waits for uploads. Hidden when an upload would be lost.
 */
export function UpdateNotice() {
  const { isReady, isInMenu, isDeferred } = useSnapshot(appUpdate);
  const isSafe = !useSnapshot(uploads).rows.some(isAtRisk);
  if (!isDeferred || !isSafe || !(isReady || isInMenu)) return null;
  return (
    <Banner
      kind="info"
      icon={<RefreshCw aria-hidden="true" />}
      sentence="A new version of Fourfold is ready. Uploads go on after the reload."
      action={{ label: 'Reload', onPress: acceptUpdate }}
    />
  );
}

/** Offers to install the app; on iOS it says how, because only the viewer can do it there. */
export function InstallNotice() {
  const { offer } = useSnapshot(install);
  const [isOpen, setOpen] = useState(false);
  useEffect(watchInstall, []);
  if (offer === null) return null;
  return (
    <>
      <Banner
        kind="info"
        icon={<MonitorDown aria-hidden="true" />}
        sentence="Install Fourfold, and it starts from the home screen, also without a network."
        action={{
          label: offer === 'prompt' ? 'Install' : 'Show how',
          onPress: () => (offer === 'prompt' ? void askToInstall() : setOpen(true)),
        }}
        onDismiss={putOffInstall}
      />
      {isOpen && <HomeScreenSteps onClose={() => setOpen(false)} />}
    </>
  );
}

function HomeScreenSteps({ onClose }: { onClose: () => void }) {
  useBackLayer(onClose);
  return (
    <Modal title="Add to Home Screen" onClose={onClose}>
      <ol className={styles.steps}>
        <li className={styles.step}>
          <Share className={styles.stepIcon} aria-hidden="true" />
          Press Share in the browser's bar.
        </li>
        <li className={styles.step}>
          <SquarePlus className={styles.stepIcon} aria-hidden="true" />
          Choose Add to Home Screen.
        </li>
      </ol>
    </Modal>
  );
}

/**
 * Rows for administrators. On phones they include Performance, which has no room in the bottom bar
 * (§2 Profile).
 */
function AdministrationRows() {
  const { videos } = useSnapshot(openReports);
  useEffect(() => void countReports(), []);
  const label = videos > 0 ? `Administration (${videos})` : 'Administration';
  return (
    <ul className={styles.rows}>
      <Way view="performance" icon={<Activity aria-hidden="true" />} label="Performance" className={styles.phoneOnly} />
      <Way view="admin" icon={<UsersRound aria-hidden="true" />} label={label} />
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

/** The three features that §2 Profile names. */
const shown: ReadonlyArray<{ name: FeatureName; label: string }> = [
  { name: 'quad_stream', label: 'Quad-Multiplayer Streaming' },
  { name: 'video_controls', label: 'Video Controls (Mute/Pin/Seek/Skip)' },
  { name: 'customizable_skip_limits', label: 'Customizable Skip Limits' },
];

/** The user's features, and a button to the plans. */
function FeaturesCard() {
  const { user, features } = useSnapshot(session);
  const granted = features ?? defaultFeatures;
  return (
    <Card title="Available Features">
      <ul className={styles.features}>
        {shown.map(({ name, label }) => (
          <li key={name} className={granted[name] ? styles.granted : styles.missing}>
            {granted[name] ? <Check aria-hidden="true" /> : <X aria-hidden="true" />}
            <span className={styles.words}>
              <SlashedText text={label} />
            </span>
            <span className="visually-hidden">{granted[name] ? ', included' : ', not included'}</span>
          </li>
        ))}
      </ul>
      {/* The focus starts here, not on 'Sign Out', which a remote could press by accident. */}
      <Button
        kind="tonal"
        isBlock
        isFirst={user !== null && currentForm() === 'tv'}
        label={user ? 'View Plans & Upgrade' : 'View Subscription Plans'}
        onPress={() => openDialog('plans')}
      />
    </Card>
  );
}
