import type { ReactNode } from 'react';
import { useEffect, useRef, useState } from 'react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { focusStart } from '#app/platform/input/focus-scopes.ts';
import { reloadApp } from '#app/state/app-update.ts';
import { connection } from '#app/state/connection.ts';
import { onUserChange } from '#app/state/session.ts';
import { watchViewer } from '#app/state/viewer-cache.ts';
import { Button } from '#app/ui/button.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { Skeleton } from '#app/ui/loading.tsx';
import { Modal } from '#app/ui/modal.tsx';
import { resourceFace } from '#app/ui/resource.ts';
import { useBackLayer } from '#app/ui/store-hooks.ts';
import { endFirstRun } from '#contract/endpoints.ts';
import type { SiteSettings } from '#contract/entities/site.ts';
import type { FirstRunStep } from '#contract/rules/site-settings.ts';
import { firstRunSteps } from '#contract/rules/site-settings.ts';
import { about, SiteAddresses } from './about-section.tsx';
import { AccessStep, accessForm } from './first-run-access.tsx';
import styles from './first-run-dialog.module.css';
import { LibraryFolders } from './library-folders.tsx';
import shared from './section.module.css';
import { findSetting, resetSettingActions, siteSettings } from './settings-store.ts';

interface Props {
  onClose: () => void;
}

/** §2 First run: what the first administrator is asked, one step at a time. */
export default function FirstRunDialog({ onClose }: Props) {
  const state = useSnapshot(siteSettings.state);
  useEffect(openFirstRun, []);
  useEffect(() => onUserChange(onClose), [onClose]);
  if (state.value) return <Steps settings={state.value} onClose={onClose} />;
  return (
    <Modal title="Welcome to Fourfold" onClose={onClose}>
      <ListBody
        face={resourceFace(state)}
        failure={state.failure}
        onRetry={() => void siteSettings.reload()}
        skeleton={<Skeleton className={styles.waiting} />}
        empty={null}
      >
        {null}
      </ListBody>
    </Modal>
  );
}

const titles: Record<FirstRunStep, string> = {
  videos: 'Your videos',
  access: 'Who may come in',
  ready: 'Ready',
};

function Steps({ settings, onClose }: Props & { settings: Snapshot<SiteSettings> }) {
  const { place } = useSnapshot(firstRun);
  const steps = firstRunSteps((name) => findSetting(settings, name)?.source === 'environment');
  const step = steps[place] ?? 'ready';
  const [before] = useState(settings.folders.length);
  const watch = () => (settings.folders.length > before ? void startWatching() : onClose());
  return (
    <Modal
      title={titles[step]}
      sentence={<span role="status">{`Step ${place + 1} of ${steps.length}`}</span>}
      onClose={onClose}
      foot={<Foot step={step} settings={settings} onWatch={watch} />}
    >
      {place > 0 && <BackLayer key={place} onBack={() => goTo(place - 1)} />}
      <StepBody key={step}>
        {step === 'videos' && (
          <>
            <p className={shared.quiet}>
              Fourfold plays the videos in folders of the server. It changes nothing in them.
            </p>
            <LibraryFolders settings={settings} />
          </>
        )}
        {step === 'access' && <AccessStep onSaved={goOn} />}
        {step === 'ready' && <Ready />}
      </StepBody>
    </Modal>
  );
}

/** Moves the focus to the start of each step. */
function StepBody({ children }: { children: ReactNode }) {
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => void (body.current && focusStart(body.current)), []);
  return (
    <div ref={body} className={shared.fields}>
      {children}
    </div>
  );
}

/** Back leads to the step before. */
function BackLayer({ onBack }: { onBack: () => void }) {
  useBackLayer(onBack);
  return null;
}

interface FootProps {
  step: FirstRunStep;
  settings: Snapshot<SiteSettings>;
  onWatch: () => void;
}

function Foot({ step, settings, onWatch }: FootProps) {
  const { place } = useSnapshot(firstRun);
  const { isBusy } = useSnapshot(accessForm.state);
  const { isReachable } = useSnapshot(connection);
  const hasFolders = settings.folders.length > 0;
  return (
    <div className={styles.foot}>
      {place > 0 && <Button kind="quiet" label="Back" onPress={() => goTo(place - 1)} />}
      <span className={styles.space} />
      {step === 'videos' && (
        <Button kind={hasFolders ? 'primary' : 'line'} label={hasFolders ? 'Next' : 'Skip'} onPress={goOn} />
      )}
      {step === 'access' && (
        <>
          <Button kind="line" label="Skip" onPress={goOn} />
          <Button
            label={isBusy ? 'Saving...' : 'Next'}
            isDisabled={!isReachable}
            onPress={() => void accessForm.submit()}
          />
        </>
      )}
      {step === 'ready' && <Button label="Start Watching" onPress={onWatch} />}
    </div>
  );
}

function Ready() {
  const state = useSnapshot(about.state);
  useEffect(() => about.open(), []);
  return (
    <div className={shared.lines}>
      <p className={shared.quiet}>Open one of these addresses on a phone or in the browser of a TV.</p>
      <ListBody
        face={resourceFace(state)}
        failure={state.failure}
        onRetry={() => void about.reload()}
        skeleton={<Skeleton className={styles.waiting} />}
        empty={null}
      >
        {state.value && <SiteAddresses addresses={state.value.addresses} />}
      </ListBody>
      <p className={shared.quiet}>Administration has all of this, and more, under Settings.</p>
    </div>
  );
}

/** The step that is shown, counted from 0. */
const firstRun = proxy({ place: 0 });

function goTo(place: number): void {
  firstRun.place = place;
}

function goOn(): void {
  goTo(firstRun.place + 1);
}

/**
 * Shows the first step. Returns a function that closes the first run, which is not shown again to
 * whoever is still here.
 */
function openFirstRun(): () => void {
  goTo(0);
  const isSame = watchViewer();
  // The section of the settings has them open already when it leads here.
  const close = siteSettings.state.value === null ? siteSettings.open() : () => {};
  return () => {
    close();
    resetSettingActions();
    if (isSame()) void end();
  };
}

/** After a failure the first run is shown again, which does no harm. */
async function end(): Promise<void> {
  await call(endFirstRun, { quiet: true }).catch(() => {});
}

/** Loads the feed again, which still plays what was there before the folders. */
async function startWatching(): Promise<void> {
  await end();
  await reloadApp();
}
