import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { openDialog } from '#app/state/navigation.ts';
import { Button } from '#app/ui/button.tsx';
import { Card } from '#app/ui/card/card.tsx';
import { Notice } from '#app/ui/card/notice.tsx';
import { Row } from '#app/ui/card/row.tsx';
import type { User } from '#contract/entities/user.ts';
import { openForm, removeAvatar } from './account-forms.ts';
import { accountNotice } from './account-notice.ts';

/** The parts of the account, each with a button that changes it. */
export function AccountCard({ user }: { user: Snapshot<User> }) {
  const { notice } = useSnapshot(accountNotice);
  const { isReachable } = useSnapshot(connection);
  const change = (form: Parameters<typeof openForm>[0], name: string, label = 'Change') => (
    <Button
      kind="line"
      label={label}
      name={`${label} ${name}`}
      isDisabled={!isReachable}
      onPress={() => openForm(form)}
    />
  );
  return (
    <Card
      title="Account"
      foot={
        <Button kind="danger" label="Delete Account" isDisabled={!isReachable} onPress={() => openForm('deletion')} />
      }
    >
      <ul>
        <Row label="Username" value={user.username} />
        <Row label="Display name" value={user.display_name ?? 'None'}>
          {change('display-name', 'display name')}
        </Row>
        <Row label="Email" value={user.email}>
          {change('email', 'email')}
        </Row>
        <Row label="Password" value={user.has_password ? null : 'None'}>
          {change('password', 'password', user.has_password ? 'Change' : 'Set')}
        </Row>
        {user.avatar_url && (
          <Row label="Picture" value="From the provider that you signed in with">
            <Button
              kind="line"
              label="Remove"
              name="Remove picture"
              isDisabled={!isReachable}
              onPress={() => void removeAvatar()}
            />
          </Row>
        )}
        <Row label="Sign in a TV" value="With the code that it shows">
          <Button kind="line" label="Enter Code" isDisabled={!isReachable} onPress={() => openDialog('device')} />
        </Row>
      </ul>
      <Notice notice={notice} />
    </Card>
  );
}
