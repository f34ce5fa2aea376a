import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { siteConfig } from '#app/state/site-config.ts';
import { Button } from '#app/ui/button.tsx';
import { Card } from '#app/ui/card/card.tsx';
import { Notice } from '#app/ui/card/notice.tsx';
import { spanText } from '#app/ui/elapsed-text.ts';
import { TextField } from '#app/ui/form/text-field.tsx';
import { useForm } from '#app/ui/form/use-form.ts';
import { limits } from '#contract/limits.ts';
import shared from '../section.module.css';
import { intervalForm, intervalSaved, openIntervalForm } from './interval-store.ts';

/** After how much playing time each quadrant of the site goes on to another video. */
export function IntervalCard() {
  const { state, field, formProps } = useForm(intervalForm);
  const { switchIntervalSeconds } = useSnapshot(siteConfig);
  const { isReachable } = useSnapshot(connection);
  const { isShown } = useSnapshot(intervalSaved);
  useEffect(openIntervalForm, []);
  return (
    <Card title="Switch interval">
      <form {...formProps} className={shared.lines}>
        <p className={shared.quiet}>{`Now ${spanText(switchIntervalSeconds)} of playing time`}</p>
        <TextField
          label="Switch after"
          inputMode="numeric"
          autoComplete="off"
          hint={`${limits.switchIntervalMinSeconds} to ${limits.switchIntervalMaxSeconds} seconds`}
          {...field('seconds')}
        />
        <div className={shared.buttons}>
          <Button
            kind="tonal"
            submits
            label={state.isBusy ? 'Saving...' : 'Save'}
            isDisabled={state.isBusy || !isReachable}
          />
        </div>
        <Notice notice={outcomeOf(state.refusal, isShown)} />
      </form>
    </Card>
  );
}

function outcomeOf(refusal: string | null, isSaved: boolean): { kind: 'ok' | 'danger'; sentence: string } | null {
  if (refusal !== null) return { kind: 'danger', sentence: refusal };
  return isSaved ? { kind: 'ok', sentence: 'Switch interval saved.' } : null;
}
