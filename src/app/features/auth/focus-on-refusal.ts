import { after } from '#app/platform/timers.ts';

/** Once a try has failed and that is drawn, the focus goes to the first field that was refused. */
export function focusOnRefusal(form: HTMLFormElement): void {
  after(0, () => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}
