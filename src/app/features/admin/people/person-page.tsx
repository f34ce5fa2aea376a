import { ArrowLeft, CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEffect, useRef, useState } from 'react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { focusStart } from '#app/platform/input/focus-scopes.ts';
import { currentInput } from '#app/platform/input/screen-form.ts';
import { connection } from '#app/state/connection.ts';
import { openView } from '#app/state/navigation.ts';
import { Avatar, Badge, TierBadge, tierBadgeOf } from '#app/ui/badge.tsx';
import { Button, IconButton } from '#app/ui/button.tsx';
import { Card, Notice, Row } from '#app/ui/card.tsx';
import { ConfirmDialog } from '#app/ui/dialogs.tsx';
import type { FieldProps, Form } from '#app/ui/form/form.ts';
import { useForm } from '#app/ui/form/form.ts';
import { Select } from '#app/ui/form/select.tsx';
import { PasswordField, TextField } from '#app/ui/form/text-field.tsx';
import { Banner } from '#app/ui/messages.tsx';
import { useBackLayer } from '#app/ui/store-hooks.ts';
import { dayOf, initialOf, nameOf } from '#app/ui/texts.ts';
import { confirmations } from '#contract/confirmations.ts';
import { limits } from '#contract/limits.ts';
import { tierBadges } from '#contract/rules/plans.ts';
import { tiers } from '#contract/rules/tiers.ts';
import shared from '../section.module.css';
import type { Person, PersonCard } from './people-store.ts';
import { deletePerson, endSessionsOf, isOwn, personPage } from './people-store.ts';
import { detailsForm, leavePerson, newPasswordForm, planForm } from './person-forms.ts';
import styles from './person-page.module.css';

/** The settings of one person for administrators. Back closes the page. */
export function PersonPage({ user }: { user: Snapshot<Person> }) {
  useBackLayer(leavePerson);
  return (
    <>
      <div className={styles.head}>
        <IconButton label="Back to all people" icon={<ArrowLeft aria-hidden="true" />} onPress={leavePerson} />
        <PersonPicture user={user} className={styles.personPagePicture} />
        <div className={styles.personPageWords}>
          <h2 className={styles.name}>
            <bdi>{nameOf(user)}</bdi>
          </h2>
          <p className={styles.facts}>
            <bdi>{user.username}</bdi> · <bdi>{user.email}</bdi> · Joined {dayOf(user.created_at)}
          </p>
          <PersonTier user={user} />
          {isOwn(user) && (
            <span className={styles.own}>
              <Badge words="You" />
            </span>
          )}
        </div>
      </div>
      <div ref={useStart()} className={shared.columns}>
        <div className={styles.column}>
          <PlanCard />
          <PasswordCard user={user} />
        </div>
        <div className={styles.column}>
          <DetailsCard user={user} />
          <AccountCard user={user} />
        </div>
      </div>
    </>
  );
}

/** Scrolls to the top and focuses the plan, except on touch. */
function useStart() {
  const cards = useRef<HTMLDivElement>(null);
  useEffect(() => {
    window.scrollTo(0, 0);
    if (cards.current && currentInput() !== 'touch') focusStart(cards.current);
  }, []);
  return cards;
}

const plans = tiers.map((tier): { value: string; label: string } => ({ value: tier, label: tierBadges[tier] }));

/**
 * The offered ends of a plan. Common lengths are listed because a remote cannot fill in a date
 * field.
 */
const ends = [
  { value: 'never', label: 'No end' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '365', label: 'In 365 days' },
  { value: 'day', label: 'On a day' },
];

function PlanCard() {
  return (
    <PersonForm form={planForm} card="plan" title="Plan" action="Change Plan" busy="Saving...">
      {(field) => (
        <>
          <Select label="Plan" isLabelHidden options={plans} {...field('tier')} />
          {field('tier').value !== 'basic' && <Select label="Ends" options={ends} {...field('end')} />}
          {field('tier').value !== 'basic' && field('end').value === 'day' && (
            <TextField label="Last day" type="date" {...field('expires_at')} />
          )}
        </>
      )}
    </PersonForm>
  );
}

/** One's own address is changed in Profile, as one's own password is. */
function DetailsCard({ user }: { user: Snapshot<Person> }) {
  return (
    <PersonForm form={detailsForm} card="details" title="Name and Email" action="Save" busy="Saving...">
      {(field) => (
        <>
          <TextField label="Display name" isOptional autoComplete="off" {...field('display_name')} />
          <TextField
            label="Email"
            type="email"
            inputMode="email"
            autoComplete="off"
            autoCapitalize="none"
            {...field('email')}
            isDisabled={isOwn(user)}
            hint={isOwn(user) ? 'You change your own address in Profile.' : undefined}
          />
        </>
      )}
    </PersonForm>
  );
}

/**
 * Sets a new password for a person who forgot theirs. One's own password is changed in Profile,
 * which asks for the current one.
 */
function PasswordCard({ user }: { user: Snapshot<Person> }) {
  if (isOwn(user)) {
    return (
      <Card title="Password">
        <p className={styles.words}>You change your own password in Profile.</p>
        <Button kind="tonal" label="Profile" onPress={() => openView('profile')} />
      </Card>
    );
  }
  return (
    <PersonForm form={newPasswordForm} card="password" title="New Password" action="Set Password" busy="Saving...">
      {(field) => (
        <>
          <p className={styles.words}>They are signed out everywhere, and sign in with the new one.</p>
          <PasswordField
            label="New password"
            autoComplete="new-password"
            hint={`At least ${limits.passwordMinCharacters} characters`}
            {...field('new_password')}
          />
        </>
      )}
    </PersonForm>
  );
}

/** Ends all sessions or deletes the account of somebody else, each after a confirmation. */
function AccountCard({ user }: { user: Snapshot<Person> }) {
  const { isReachable } = useSnapshot(connection);
  const [asked, setAsked] = useState<'sessions' | 'deletion' | null>(null);
  const close = () => setAsked(null);
  return (
    <Card title="Account">
      <ul>
        <Row label="Sessions" value="On every device">
          <Button kind="line" label="End All Sessions" isDisabled={!isReachable} onPress={() => setAsked('sessions')} />
        </Row>
        {isOwn(user) ? (
          <Row label="Account" value="You delete your own account in Profile." />
        ) : (
          <Row label="Account" value="With everything but the uploads">
            <Button
              kind="danger"
              label="Delete Account"
              isDisabled={!isReachable}
              onPress={() => setAsked('deletion')}
            />
          </Row>
        )}
      </ul>
      <PersonNotice card="account" />
      {asked === 'sessions' && <EndSessions user={user} onClose={close} />}
      {asked === 'deletion' && <Delete user={user} onClose={close} />}
    </Card>
  );
}

interface QuestionProps {
  user: Snapshot<Person>;
  onClose: () => void;
}

function EndSessions({ user, onClose }: QuestionProps) {
  const confirm = () => {
    onClose();
    void endSessionsOf(user);
  };
  return (
    <ConfirmDialog
      title="End All Sessions"
      sentence={isOwn(user) ? confirmations.signOutEverywhere : confirmations.endUserSessions(nameOf(user))}
      action="End All Sessions"
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}

function Delete({ user, onClose }: QuestionProps) {
  const confirm = () => {
    onClose();
    void deletePerson(user);
  };
  return (
    <ConfirmDialog
      title="Delete Account"
      sentence={confirmations.deleteUser(nameOf(user))}
      action="Delete Account"
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}

interface Props<Field extends string> {
  form: Form<Field>;
  card: PersonCard;
  title: string;
  /** Labels of the button at rest and while busy. */
  action: string;
  busy: string;
  children: (field: (name: Field) => FieldProps) => ReactNode;
}

/** A card with a form for one person, and the outcome of the last change. */
function PersonForm<Field extends string>({ form, card, title, action, busy, children }: Props<Field>) {
  const { state, field, formProps } = useForm(form);
  const { isReachable } = useSnapshot(connection);
  return (
    <Card title={title}>
      <form {...formProps} className={styles.form}>
        {children(field)}
        {state.refusal && <Banner kind="danger" icon={<CircleAlert aria-hidden="true" />} sentence={state.refusal} />}
        {!isReachable && <p className={styles.waiting}>Needs a connection</p>}
        {/* Enabled while busy to keep the focus. The form ignores a second submission. */}
        <Button kind="tonal" submits label={state.isBusy ? busy : action} isDisabled={!isReachable} />
      </form>
      <PersonNotice card={card} />
    </Card>
  );
}

/** The outcome of the last change, on the card where it was made. */
function PersonNotice({ card }: { card: PersonCard }) {
  const { notice } = useSnapshot(personPage);
  return <Notice notice={notice?.card === card ? notice : null} />;
}

interface PersonPictureProps {
  user: Pick<Person, 'avatar_url' | 'username' | 'display_name'>;
  /** Sets the size. */
  className: string | undefined;
}

/** The avatar, or the first letter of the name. */
export function PersonPicture({ user, className }: PersonPictureProps) {
  return <Avatar url={user.avatar_url} initial={initialOf(user)} className={`${styles.picture} ${className}`} />;
}

type Subscribed = Pick<Person, 'subscription_tier' | 'effective_tier' | 'subscription_expires_at'>;

/** The effective tier with its end, or the expired tier with the time of its expiry. */
export function PersonTier({ user }: { user: Subscribed }) {
  const end = endOf(user);
  return (
    <span className={styles.tier}>
      <TierBadge {...tierBadgeOf(user)} />
      {end && <span className={styles.end}>{end}</span>}
    </span>
  );
}

function endOf({ subscription_tier: tier, effective_tier, subscription_expires_at: expiresAt }: Subscribed) {
  if (expiresAt === null || tier === 'basic') return null;
  return effective_tier === tier ? `Until ${dayOf(expiresAt)}` : `${tierBadges[tier]} until ${dayOf(expiresAt)}`;
}
