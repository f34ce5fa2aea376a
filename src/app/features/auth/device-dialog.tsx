import { CircleAlert } from 'lucide-react';
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { navigation } from '#app/state/navigation.ts';
import { session } from '#app/state/session.ts';
import { Button } from '#app/ui/button.tsx';
import { createForm, readProblems, readRefusal, useForm } from '#app/ui/form/form.ts';
import { TextField } from '#app/ui/form/text-field.tsx';
import { Banner } from '#app/ui/messages.tsx';
import { Modal } from '#app/ui/modal.tsx';
import { nameOf } from '#app/ui/texts.ts';
import { approveDevice, findWaitingDevice } from '#contract/endpoints.ts';
import type { WaitingDevice } from '#contract/entities/account.ts';
import { checkUserCode } from '#contract/rules/credentials.ts';
import shared from './auth-form.module.css';
import styles from './device-dialog.module.css';
import SignInDialog from './sign-in-dialog.tsx';
import { ConnectionNeeded, useFocusOnChange } from './sign-in-form.tsx';

/**
 * Approves the sign-in of a TV: its code is entered, or comes with a scanned address, and the
 * device is confirmed. Anonymous visitors sign in first.
 */
export default function DeviceDialog({ onClose }: { onClose: () => void }) {
  const { user, phase } = useSnapshot(session);
  const { found, isDone } = useSnapshot(deviceApproval);
  const face = isDone ? 'done' : found ? 'confirmation' : 'code';
  const content = useFocusOnChange(face);
  useEffect(() => resetDeviceApproval, []);
  if (phase === 'loading') return null;
  if (user === null) return <SignInDialog mode="sign-in" onClose={onClose} />;
  const name = <bdi>{nameOf(user)}</bdi>;
  const sentences = {
    code: <>The TV that shows this code will be signed in as {name}.</>,
    confirmation: <>This device will be signed in as {name}. Go on only if it is yours.</>,
    done: 'The TV is being signed in.',
  };
  return (
    <Modal title="Sign in a TV" sentence={sentences[face]} size="small" onClose={onClose}>
      <div ref={content}>
        {face === 'code' && <DeviceForm />}
        {found && face === 'confirmation' && <DeviceConfirmation device={found} onCancel={onClose} />}
        {face === 'done' && <Button label="Close" isBlock onPress={onClose} />}
      </div>
    </Modal>
  );
}

/** The field for the code. A scanned code is filled in. */
function DeviceForm() {
  const { state, field, formProps } = useForm(userCodeForm);
  useEffect(() => {
    if (navigation.deviceCode !== null && userCodeForm.state.values.user_code === '')
      editUserCode(navigation.deviceCode);
  }, []);
  return (
    <form {...formProps} className={shared.form}>
      <TextField
        label="Code on the TV"
        name="user-code"
        autoComplete="off"
        autoCapitalize="characters"
        {...field('user_code')}
        onChange={editUserCode}
      />
      <Button label={state.isBusy ? 'Looking...' : 'Continue'} submits isBlock />
      <ConnectionNeeded />
    </form>
  );
}

/**
 * The device that is about to be signed in. The focus starts on Cancel, so that a second press of
 * the same key approves nothing.
 */
function DeviceConfirmation({ device, onCancel }: { device: WaitingDevice; onCancel: () => void }) {
  const { isBusy } = useSnapshot(approvalForm.state);
  return (
    <>
      <dl className={styles.facts}>
        <Fact name="Device" value={device.device} />
        <Fact name="Network" value={networkOf(device)} />
        <Fact name="Asked" value={momentOf(device.asked_at)} />
      </dl>
      {device.is_same_network === false && (
        <Banner
          icon={<CircleAlert aria-hidden="true" />}
          sentence="It is not on the network that you are on. If somebody sent you this code, do not go on."
        />
      )}
      <ConnectionNeeded />
      <div className={styles.buttons}>
        <Button kind="line" label="Cancel" onPress={onCancel} />
        <Button
          label={isBusy ? 'Signing In...' : 'Sign In'}
          isDisabled={isBusy}
          onPress={() => void approvalForm.submit()}
        />
      </div>
    </>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div className={styles.fact}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function networkOf({ address, is_same_network }: WaitingDevice): string {
  if (is_same_network === null) return address;
  return is_same_network ? `The same as this device (${address})` : `Another one (${address})`;
}

function momentOf(time: string): string {
  return new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
}

interface DeviceApprovalState {
  /** The device that shows the code, or null until the code is looked up. */
  found: WaitingDevice | null;
  isDone: boolean;
}

const deviceApproval = proxy<DeviceApprovalState>({ found: null, isDone: false });

/**
 * Looks up the device that shows the code, so that nobody approves a device without seeing which
 * one it is. Refusals are shown at the code field.
 */
const userCodeForm = createForm({
  empty: { user_code: '' },
  check: ({ user_code }) => ({ user_code: checkUserCode(user_code) }),
  send: async (body, signal) => {
    const found = await call(findWaitingDevice, { body });
    if (!signal.aborted) deviceApproval.found = found;
  },
  toProblems: (error) => ({ user_code: readProblems(error).user_code ?? readRefusal(error) }),
});

/** Signs in the found device as the user of this session. A refusal leads back to the code. */
const approvalForm = createForm({
  empty: {},
  check: () => ({}),
  send: async (_, signal) => {
    const outcome = await call(approveDevice, { body: { ...userCodeForm.state.values } }).then(
      () => null,
      (error: unknown) => ({ error }),
    );
    if (signal.aborted) return;
    if (outcome) {
      userCodeForm.refuse(outcome.error);
      deviceApproval.found = null;
    } else deviceApproval.isDone = true;
  },
});

/** Changes the code. A reply for the previous code is ignored. */
function editUserCode(userCode: string): void {
  userCodeForm.reset({ user_code: userCode });
  deviceApproval.found = null;
}

function resetDeviceApproval(): void {
  userCodeForm.reset();
  approvalForm.reset();
  Object.assign(deviceApproval, { found: null, isDone: false });
}
