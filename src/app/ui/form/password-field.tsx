import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '../icon-button.tsx';
import styles from './password-field.module.css';
import type { TextFieldProps } from './text-field.tsx';
import { TextField } from './text-field.tsx';

/**
 * Hides what is typed until the eye is pressed. `autoComplete` tells password managers whether it is the current
 * password or a new one.
 */
export function PasswordField(
  props: Omit<TextFieldProps, 'type' | 'end'> & { autoComplete: 'current-password' | 'new-password' },
) {
  const [isShown, setShown] = useState(false);
  const Icon = isShown ? EyeOff : Eye;
  return (
    <TextField
      {...props}
      type={isShown ? 'text' : 'password'}
      autoCapitalize="none"
      end={
        <IconButton
          className={styles.eye}
          label={isShown ? 'Hide password' : 'Show password'}
          icon={<Icon aria-hidden="true" />}
          onPress={() => setShown(!isShown)}
        />
      }
    />
  );
}
