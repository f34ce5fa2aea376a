import { subscribeKey } from 'valtio/vanilla/utils';
import { chooseForm } from '#app/platform/input/screen-form.ts';
import { settings } from '#app/state/settings.ts';

/**
 * Applies the layout chosen in Profile for this device, instead of the detected one. Returns a
 * function that stops it.
 */
export function watchLayoutChoice(): () => void {
  applyLayout();
  return subscribeKey(settings, 'screenLayout', applyLayout);
}

function applyLayout(): void {
  const { screenLayout } = settings;
  chooseForm(screenLayout === 'automatic' ? null : screenLayout);
}
