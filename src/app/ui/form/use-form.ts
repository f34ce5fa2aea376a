import type { FormEvent, RefObject } from 'react';
import { useEffect, useRef } from 'react';
import { useSnapshot } from 'valtio';
import type { Form, FormState } from './form.ts';

/** A button that stands in for a field, as a select on a TV, cannot be `aria-invalid`. */
const refusedField = '[aria-invalid="true"], [data-invalid]';

/** What a field component needs of its form. */
export interface FieldProps {
  value: string;
  problem: string | undefined;
  onChange: (value: string) => void;
}

interface DrawnForm<Field extends string> {
  state: FormState<Field>;
  field: (name: Field) => FieldProps;
  /** Props of the `<form>` element. The browser's own checks are off: the rules are the contract's. */
  formProps: { ref: RefObject<HTMLFormElement | null>; noValidate: true; onSubmit: (event: FormEvent) => void };
}

/**
 * Draws a form. After a refusal the first refused field gets the focus, so a screen reader reads it with its sentence.
 */
export function useForm<Field extends string>(form: Form<Field>): DrawnForm<Field> {
  // Synchronous, because the caret jumps to the end of a field whose value is set later than its event.
  const state = useSnapshot(form.state, { sync: true }) as FormState<Field>;
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (state.refusals > 0) element.current?.querySelector<HTMLElement>(refusedField)?.focus();
  }, [state.refusals]);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void form.submit();
  };
  return {
    state,
    field: (name) => ({
      value: state.values[name],
      problem: state.problems[name],
      onChange: (value) => form.change(name, value),
    }),
    formProps: { ref: element, noValidate: true, onSubmit },
  };
}
