import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { siteConfig } from '#app/state/site-config.ts';
import { createForm } from '#app/ui/form/form.ts';
import { updateConfig } from '#contract/endpoints.ts';
import { checkSwitchInterval } from '#contract/rules/settings.ts';

/** The value was kept. */
export const intervalSaved = proxy({ isShown: false });

export const intervalForm = createForm<'seconds'>({
  empty: { seconds: '' },
  check: ({ seconds }) => ({ seconds: checkSwitchInterval(toNumber(seconds)) }),
  send: async ({ seconds }) => {
    intervalSaved.isShown = false;
    const body = { video_settings: { switch_interval_seconds: toNumber(seconds) } };
    const { video_settings } = await call(updateConfig, { body });
    siteConfig.switchIntervalSeconds = video_settings.switch_interval_seconds;
    intervalSaved.isShown = true;
  },
});

/** Fills the form with the value in effect. Returns what empties it. */
export function openIntervalForm(): () => void {
  intervalForm.reset({ seconds: String(siteConfig.switchIntervalSeconds) });
  return () => {
    intervalForm.reset();
    intervalSaved.isShown = false;
  };
}

/** An empty field is no number; `Number` would read 0. */
function toNumber(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}
