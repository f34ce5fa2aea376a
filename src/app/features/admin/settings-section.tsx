import { useEffect, useState } from 'react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { openDialog } from '#app/state/navigation.ts';
import { Button } from '#app/ui/button.tsx';
import { Card, Notice } from '#app/ui/card.tsx';
import type { FieldProps } from '#app/ui/form/form.ts';
import { useForm } from '#app/ui/form/form.ts';
import { Select } from '#app/ui/form/select.tsx';
import { PasswordField, TextArea, TextField } from '#app/ui/form/text-field.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { Skeleton } from '#app/ui/loading.tsx';
import { Markdown } from '#app/ui/markdown.tsx';
import { resourceFace } from '#app/ui/resource.ts';
import { sizeText } from '#app/ui/texts.ts';
import type { SiteSetting, SiteSettings } from '#contract/entities/site.ts';
import type { SettingName } from '#contract/rules/site-settings.ts';
import { firstRunSteps, settingLabels } from '#contract/rules/site-settings.ts';
import { EncoderFound } from './encodings-section.tsx';
import { LibraryFolders } from './library-folders.tsx';
import shared from './section.module.css';
import { EntryRow, Moment } from './section-parts.tsx';
import type { SettingCardFacts } from './settings-cards.ts';
import { isSetElsewhere, noteOf, settingCards, settingFields } from './settings-cards.ts';
import {
  changeSettings,
  createSettingForm,
  findSetting,
  resetSettingActions,
  settingActions,
  siteSettings,
} from './settings-store.ts';
import styles from './settings-text.module.css';

type Shown = Snapshot<SiteSettings>;

/** Lists the settings that administrators can change while the site runs. */
export function SettingsSection() {
  const state = useSnapshot(siteSettings.state);
  useEffect(() => siteSettings.open(), []);
  useEffect(() => resetSettingActions, []);
  return (
    <div className={shared.section}>
      <ListBody
        face={resourceFace(state)}
        failure={state.failure}
        onRetry={() => void siteSettings.reload()}
        skeleton={<Skeleton className={shared.waiting} />}
        empty={null}
      >
        {state.value && (
          <div className={shared.section}>
            <p className={shared.quiet}>
              A change holds at once, without a restart. It is listed under Activity, and can be undone there.
            </p>
            <FirstSteps settings={state.value} />
            <div className={shared.columns}>
              <Card title={settingLabels.LIBRARY_DIRS}>
                <LibraryFolders settings={state.value} />
              </Card>
              {settingCards.map((facts) => (
                <SettingCard key={facts.title} facts={facts} settings={state.value as Shown} />
              ))}
            </div>
          </div>
        )}
      </ListBody>
    </div>
  );
}

/** The way back to the steps that the first administrator went through. */
function FirstSteps({ settings }: { settings: Shown }) {
  const isGiven = (name: SettingName) => findSetting(settings, name)?.source === 'environment';
  if (firstRunSteps(isGiven).length === 0) return null;
  return <Button kind="line" label="First Steps" onPress={() => openDialog('first-run')} />;
}

/** A card with a form for some settings. */
function SettingCard({ facts, settings }: { facts: SettingCardFacts; settings: Shown }) {
  const { title, names, words, removal } = facts;
  const [{ form, fill, follow }] = useState(() => createSettingForm(title, names));
  const { state, field, formProps } = useForm(form);
  const { isBusy } = useSnapshot(settingActions);
  const { isReachable } = useSnapshot(connection);
  useEffect(() => follow(settings), [follow, settings]);
  const shown = names.flatMap((name) => findSetting(settings, name) ?? []);
  const isGiven = shown.every(isSetElsewhere);
  const removable = shown.filter(({ name, source }) => source === 'database' && removal?.names.includes(name));
  const remove = async () => {
    await changeSettings(title, Object.fromEntries(removable.map(({ name }) => [name, null])));
    fill();
  };
  return (
    <Card title={title}>
      <form {...formProps} className={shared.fields}>
        {words !== undefined && <p className={shared.quiet}>{words}</p>}
        {shown.map((setting) => (
          <SettingField key={setting.name} setting={setting} props={field(setting.name)} />
        ))}
        {title === 'Playback' && <EncoderFound />}
        {title === 'Backup' && <Backups settings={settings} />}
        {!isReachable && <p className={shared.quiet}>Needs a connection</p>}
        {!isGiven && (
          <div className={shared.buttons}>
            <Button
              kind="tonal"
              submits
              name={`Save ${title}`}
              label={state.isBusy ? 'Saving...' : 'Save'}
              isDisabled={!isReachable}
            />
            {removal && removable.length > 0 && (
              <Button
                kind="line"
                label={removal.label}
                isDisabled={isBusy || !isReachable}
                onPress={() => void remove()}
              />
            )}
          </div>
        )}
        {state.refusal !== null && <Notice notice={{ kind: 'danger', sentence: state.refusal }} />}
      </form>
      <CardNotice card={title} />
    </Card>
  );
}

/** The outcome of the last change, on the card where it was made. */
function CardNotice({ card }: { card: string }) {
  const { notice } = useSnapshot(settingActions);
  return <Notice notice={notice?.card === card ? notice : null} />;
}

function SettingField({ setting, props }: { setting: Snapshot<SiteSetting>; props: FieldProps }) {
  const { name } = setting;
  const { kind, options } = settingFields[name];
  const isGiven = isSetElsewhere(setting);
  const common = { ...props, label: settingLabels[name], isDisabled: isGiven };
  const note = noteOf(setting);
  if (kind === 'choice')
    return (
      <div>
        <Select options={options ?? []} {...common} />
        {isGiven && <p className={shared.quiet}>{note}</p>}
      </div>
    );
  if (kind === 'markdown') return <MarkdownField {...common} hint={note} />;
  if (kind === 'secret') return <PasswordField autoComplete="new-password" hint={note} {...common} />;
  return (
    <TextField
      type="text"
      inputMode={kind === 'number' ? 'decimal' : kind === 'address' ? 'url' : 'text'}
      autoComplete="off"
      autoCapitalize="none"
      hint={note}
      {...common}
    />
  );
}

/** The nightly backups that are kept. */
function Backups({ settings: { backups } }: { settings: Shown }) {
  if (backups.length === 0) return <p className={shared.quiet}>There is no backup yet.</p>;
  return (
    <ul aria-label="Backups">
      {backups.map(({ at, file, bytes }) => (
        <EntryRow key={file} label={<Moment time={at} />}>
          <p>{sizeText(bytes)}</p>
        </EntryRow>
      ))}
    </ul>
  );
}

interface Props extends FieldProps {
  label: string;
  isDisabled: boolean;
  hint: string | undefined;
}

/** A text in Markdown, which can be looked at as viewers will see it. */
function MarkdownField({ label, value, onChange, problem, hint, isDisabled }: Props) {
  const [isPreviewed, setPreviewed] = useState(false);
  return (
    <div>
      <TextArea label={label} value={value} onChange={onChange} problem={problem} hint={hint} isDisabled={isDisabled} />
      {value !== '' && (
        <div className={shared.buttons}>
          <Button
            kind="line"
            name={`${isPreviewed ? 'Hide Preview' : 'Preview'}: ${label}`}
            label={isPreviewed ? 'Hide Preview' : 'Preview'}
            onPress={() => setPreviewed(!isPreviewed)}
          />
        </div>
      )}
      {isPreviewed && value !== '' && (
        <section className={styles.preview} aria-label={`Preview of ${label}`}>
          <Markdown text={value} onDraw={() => {}} loading={<Skeleton className={shared.waiting} />} />
        </section>
      )}
    </div>
  );
}
