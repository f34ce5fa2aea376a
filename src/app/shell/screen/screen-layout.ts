import { subscribeKey } from 'valtio/vanilla/utils';
import { chooseForm } from '#app/platform/input/screen-form.ts';
import { settings } from '#app/state/settings.ts';

/** The layout that the viewer chose for this device in Profile goes before what the device tells. Returns what stops it. */
export function followLayoutChoice(): () => void {
  settle();
  return subscribeKey(settings, 'screenLayout', settle);
}

function settle(): void {
  const { screenLayout } = settings;
  chooseForm(screenLayout === 'automatic' ? null : screenLayout);
}
